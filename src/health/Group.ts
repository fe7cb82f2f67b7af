import { byUrgency } from "./byUrgency.ts"
import { type Problem, type ProblemKind, SEVERITIES, type Severity } from "./Problem.ts"
import { reachOf } from "./reach.ts"

/** Equal problems of one app, or of the server, as one row. */
export interface Group {
  readonly kind: ProblemKind
  readonly app_id: string | null
  readonly severity: Severity
  /** How many problems there are. */
  readonly problems: number
  /** How many conversations they reach together. Null: everybody's. */
  readonly reach: number | null
  /** Since when the first one lasts. ISO 8601. */
  readonly since: string | null
  readonly cause: string
  readonly next_step: Problem["next_step"]
  /** The worst of them, with their evidence. */
  readonly examples: ReadonlyArray<Problem>
}

const EXAMPLES = 5

const earliest = (problems: ReadonlyArray<Problem>): string | null =>
  problems.reduce<string | null>(
    (first, { since }) => (first === null || (since !== null && since < first) ? since : first),
    null
  )

/** Folds equal problems. The worst rows first, then those that reach the most people together. */
export const fold = (problems: ReadonlyArray<Problem>): ReadonlyArray<Group> => {
  const groups = new Map<string, [Problem, ...Array<Problem>]>()
  for (const problem of problems) {
    const key = `${problem.kind} ${problem.subject.app_id ?? ""}`
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [problem])
    else known.push(problem)
  }
  const rows = [...groups.values()].map((members): Group => {
    const [worst] = members
    return {
      kind: worst.kind,
      app_id: worst.subject.app_id ?? null,
      severity: SEVERITIES.find((severity) => members.some((member) => member.severity === severity)) ?? worst.severity,
      problems: members.length,
      reach: reachOf(members),
      since: earliest(members),
      cause: worst.cause,
      next_step: worst.next_step,
      examples: members.slice(0, EXAMPLES)
    }
  })
  return rows.sort(byUrgency)
}
