import type { Group } from "./Group.ts"
import { SEVERITIES, type Severity } from "./Problem.ts"

/** An alert that is open, as stored. */
export interface OpenAlert {
  readonly alert_id: string
  readonly kind: string
  readonly app_id: string | null
  readonly severity: Severity
  readonly most_problems: number
  readonly repeats: number
  readonly sent_at: Date
  readonly absent: number
}

export type AlertChange =
  | { readonly change: "open"; readonly group: Group }
  /** It is still there. `tell`: its receivers are told so again. */
  | { readonly change: "keep"; readonly alert: OpenAlert; readonly group: Group; readonly tell: boolean }
  /** This evaluation has not found it. */
  | { readonly change: "miss"; readonly alert: OpenAlert }
  | { readonly change: "resolve"; readonly alert: OpenAlert }

const MINUTE_MS = 60_000
/** An alert that gets worse is sent again after this time, and any other after a longer one. */
const WORSE_AFTER_MS = 10 * MINUTE_MS
const AGAIN_AFTER_MS = 6 * 60 * MINUTE_MS
/** Evaluations in a row without the problem after which an alert is resolved. One alone may be chance. */
const RESOLVED_AFTER = 2

const keyOf = ({ kind, app_id }: Pick<Group | OpenAlert, "kind" | "app_id">) => `${kind} ${app_id ?? ""}`

const keep = (alert: OpenAlert, group: Group, now: Date): AlertChange => {
  const isWorse =
    group.problems > alert.most_problems || SEVERITIES.indexOf(group.severity) < SEVERITIES.indexOf(alert.severity)
  const age = now.getTime() - alert.sent_at.getTime()
  return { change: "keep", alert, group, tell: age >= (isWorse ? WORSE_AFTER_MS : AGAIN_AFTER_MS) }
}

/** What an evaluation changes: each alert opens once, is repeated at a bounded frequency, and is resolved once. */
export const alertChanges = (
  open: ReadonlyArray<OpenAlert>,
  groups: ReadonlyArray<Group>,
  now: Date
): ReadonlyArray<AlertChange> => {
  const found = new Map(groups.filter(({ severity }) => severity !== "info").map((group) => [keyOf(group), group]))
  const known = new Set(open.map(keyOf))
  return [
    ...open.map((alert): AlertChange => {
      const group = found.get(keyOf(alert))
      if (group !== undefined) return keep(alert, group, now)
      return { change: alert.absent + 1 >= RESOLVED_AFTER ? "resolve" : "miss", alert }
    }),
    ...[...found].filter(([key]) => !known.has(key)).map(([, group]): AlertChange => ({ change: "open", group }))
  ]
}
