export type Severity = "info" | "warning" | "blocker"

/** A point for review. `path` is in the file or in the bundle, depending on what the finding is about. */
export interface Finding {
  readonly code: string
  readonly severity: Severity
  readonly path: string
  readonly message: string
  readonly excerpt: string
}

export interface Proposal {
  readonly path: string
  readonly value: unknown
  readonly from: string
}

/**
 * The result of reading a file: what was mapped where, what was left out and why, and what to review before accepting
 * it.
 */
export interface ReportData {
  readonly mapped: ReadonlyArray<{ readonly from: string; readonly to: string }>
  readonly dropped: ReadonlyArray<{ readonly from: string; readonly reason: string }>
  readonly warnings: ReadonlyArray<Finding>
  readonly blockers: ReadonlyArray<Finding>
  readonly proposals: ReadonlyArray<Proposal>
}

/** For a file of which nothing is kept. */
export const EMPTY_REPORT: ReportData = { mapped: [], dropped: [], warnings: [], blockers: [], proposals: [] }

/** Maximum length of each list. */
const MOST = 500
const LONGEST_EXCERPT = 160
/** How many things of one kind are listed one by one. */
const LISTED = 5
const LISTED_FIELDS = 30

export const excerptOf = (text: string): string => {
  const line = text
    .slice(0, LONGEST_EXCERPT * 4)
    .replace(/\s+/g, " ")
    .trim()
  const characters = [...line]
  return characters.length > LONGEST_EXCERPT ? `${characters.slice(0, LONGEST_EXCERPT - 3).join("")}...` : line
}

export const finding = (code: string, severity: Severity, path: string, message: string, text = ""): Finding => ({
  code,
  severity,
  path,
  message,
  excerpt: excerptOf(text.toWellFormed())
})

/** Collects a report. Once a list is full, further entries are ignored. */
export class Report {
  readonly #mapped = new Map<string, { readonly from: string; readonly to: string }>()
  readonly #dropped: Array<{ readonly from: string; readonly reason: string }> = []
  readonly #warnings: Array<Finding> = []
  readonly #blockers: Array<Finding> = []
  readonly #proposals: Array<Proposal> = []
  #paths: Readonly<Record<string, string>> = {}

  /** From now on, names paths as they are in the file, which is read under the names of other fields. */
  namePaths(paths: Readonly<Record<string, string>>): void {
    this.#paths = paths
  }

  mapped(from: string, to: string): void {
    const path = this.#inFile(from)
    if (this.#mapped.size < MOST) this.#mapped.set(`${path} ${to}`, { from: path, to })
  }

  dropped(from: string, reason: string): void {
    if (this.#dropped.length < MOST) this.#dropped.push({ from: this.#inFile(from), reason })
  }

  /** Lists the first few things that were left out for the same reason, and counts the others under `rest`. */
  droppedAll(froms: ReadonlyArray<string>, rest: string, reason: string, listed = LISTED): void {
    for (const from of froms.slice(0, listed)) this.dropped(from, reason)
    if (froms.length > listed) this.dropped(rest, `${froms.length - listed} more. ${reason}`)
  }

  /** Names fields that are not used. */
  unused(fields: ReadonlyArray<string>, reason: string): void {
    this.droppedAll(fields, "fields", reason, LISTED_FIELDS)
  }

  warn(code: string, path: string, message: string, text = ""): void {
    this.#find(this.#warnings, "warning", code, path, message, text)
  }

  tell(code: string, path: string, message: string, text = ""): void {
    this.#find(this.#warnings, "info", code, path, message, text)
  }

  block(code: string, path: string, message: string, text = ""): void {
    this.#find(this.#blockers, "blocker", code, path, message, text)
  }

  propose(path: string, value: unknown, from: string): void {
    if (this.#proposals.length < MOST) this.#proposals.push({ path, value, from: this.#inFile(from) })
  }

  #find(found: Array<Finding>, severity: Severity, code: string, path: string, message: string, text: string): void {
    if (found.length < MOST) found.push(finding(code, severity, this.#inFile(path), message, text))
  }

  #inFile(path: string): string {
    const field = Object.keys(this.#paths).find(
      (field) => path.startsWith(field) && /^(?:$|[.[])/.test(path.slice(field.length))
    )
    return field === undefined ? path : `${this.#paths[field]}${path.slice(field.length)}`
  }

  get data(): ReportData {
    return {
      mapped: [...this.#mapped.values()],
      dropped: this.#dropped,
      warnings: this.#warnings,
      blockers: this.#blockers,
      proposals: this.#proposals
    }
  }
}
