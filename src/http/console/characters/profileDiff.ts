import { diffLines } from "diff"
import { isDeepStrictEqual } from "node:util"

type Profile = Readonly<Record<string, unknown>>

/** A run of lines that were added, removed, or are the same. `gap`: this many equal lines are left out. */
export interface Lines {
  readonly kind: "added" | "removed" | "same" | "gap"
  readonly lines: ReadonlyArray<string>
}

export interface FieldChange {
  readonly field: string
  readonly kind: "added" | "removed" | "changed"
  readonly lines: ReadonlyArray<Lines>
}

/** Equal lines that are shown before and after a change. */
const CONTEXT = 2
/** Lines of one field. More are left out. */
const MAX_LINES = 400
/** For all fields of a profile together, because this runs on the event loop. A longer search is given up. */
const TIMEOUT_MS = 40

const textOf = (value: unknown): string =>
  value === undefined ? "" : `${typeof value === "string" ? value : JSON.stringify(value, null, 2)}\n`
const linesOf = (text: string): ReadonlyArray<string> => text.replace(/\n$/, "").split("\n")

const shortened = (lines: ReadonlyArray<string>, isFirst: boolean, isLast: boolean): ReadonlyArray<Lines> => {
  const [before, after] = [isFirst ? 0 : CONTEXT, isLast ? 0 : CONTEXT]
  const left = lines.length - before - after
  if (left <= 1) return [{ kind: "same", lines }]
  return [
    { kind: "same" as const, lines: lines.slice(0, before) },
    { kind: "gap" as const, lines: lines.slice(before, lines.length - after) },
    { kind: "same" as const, lines: lines.slice(lines.length - after) }
  ].filter(({ lines }) => lines.length > 0)
}

const bounded = (parts: ReadonlyArray<Lines>): ReadonlyArray<Lines> => {
  let left = MAX_LINES
  return parts.flatMap(({ kind, lines }): ReadonlyArray<Lines> => {
    const shown = lines.slice(0, left)
    if (kind === "gap") return [{ kind, lines }]
    left -= shown.length
    const rest = lines.slice(shown.length)
    return [
      ...(shown.length === 0 ? [] : [{ kind, lines: shown }]),
      ...(rest.length === 0 ? [] : [{ kind: "gap" as const, lines: rest }])
    ]
  })
}

const compare = (before: string, after: string, timeout: number): ReadonlyArray<Lines> => {
  const found = diffLines(before, after, { timeout })
  const parts =
    found === undefined
      ? [
          { kind: "removed" as const, lines: linesOf(before) },
          { kind: "added" as const, lines: linesOf(after) }
        ]
      : found.flatMap(({ value, added, removed }, index): ReadonlyArray<Lines> => {
          const lines = linesOf(value)
          if (added) return [{ kind: "added", lines }]
          if (removed) return [{ kind: "removed", lines }]
          return shortened(lines, index === 0, index === found.length - 1)
        })
  return bounded(parts)
}

/** What differs between two versions of a character, field by field. Within a field, line by line. */
export const profileDiff = (before: Profile, after: Profile, timeoutMs = TIMEOUT_MS): ReadonlyArray<FieldChange> => {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (field) => !isDeepStrictEqual(before[field], after[field])
  )
  const each = timeoutMs / Math.max(1, fields.length)
  return fields.map((field) => ({
    field,
    kind: before[field] === undefined ? "added" : after[field] === undefined ? "removed" : "changed",
    lines: compare(textOf(before[field]), textOf(after[field]), each)
  }))
}
