import { printable } from "#src/commands/terminal/output.ts"

interface Finding {
  readonly code: string
  readonly severity: string
  readonly path: string
  readonly message: string
  readonly excerpt: string
}

export interface Review {
  readonly id: string
  readonly format_detected: string
  readonly bundle: { readonly character: Readonly<Record<string, unknown>> } | null
  readonly diff: ReadonlyArray<{ readonly path: string }>
  readonly report: {
    readonly mapped: ReadonlyArray<{ readonly from: string; readonly to: string }>
    readonly dropped: ReadonlyArray<{ readonly from: string; readonly reason: string }>
    readonly warnings: ReadonlyArray<Finding>
    readonly blockers: ReadonlyArray<Finding>
  }
}

/** Maximum length of each list. The import itself has the rest. */
const MOST = 40

const part = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0
    ? []
    : [
        `${title} (${lines.length})`,
        ...lines.slice(0, MOST).map((line) => `  ${printable(line)}`),
        ...(lines.length > MOST ? [`  and ${lines.length - MOST} more`] : [])
      ]

const told = ({ code, path, message, excerpt }: Finding): string =>
  `${code}: ${path}: ${message}${excerpt === "" ? "" : ` "${excerpt}"`}`

/** What was read from a file, for review. Each value stays on one line, regardless of who wrote the file. */
export const reviewLines = ({ id, format_detected, bundle, diff, report }: Review): ReadonlyArray<string> => {
  const { display_name: name, slug } = bundle?.character ?? {}
  return [
    printable(
      `${id}: ${format_detected}${typeof name === "string" ? `: ${name}` : ""}` +
        `${typeof slug === "string" ? ` (${slug})` : ""}`
    ),
    ...part(
      "mapped",
      report.mapped.map(({ from, to }) => `${from} -> ${to}`)
    ),
    ...part(
      "dropped",
      report.dropped.map(({ from, reason }) => `${from}: ${reason}`)
    ),
    ...part(
      "changes",
      diff.map(({ path }) => path)
    ),
    ...part("notes", report.warnings.filter(({ severity }) => severity === "info").map(told)),
    ...part("warnings", report.warnings.filter(({ severity }) => severity !== "info").map(told)),
    ...part("blockers", report.blockers.map(told))
  ]
}
