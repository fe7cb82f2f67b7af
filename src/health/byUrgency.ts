import { type Problem, SEVERITIES } from "./Problem.ts"

type Ranked = Pick<Problem, "severity" | "reach" | "since">

/** Whoever reaches everybody comes before any number of conversations. */
const byReach = (a: number | null, b: number | null): number => (a === b ? 0 : a === null ? -1 : b === null ? 1 : b - a)

/** The order of every list of problems: the worst first, then what reaches most people, then the longest lasting. */
export const byUrgency = (a: Ranked, b: Ranked): number =>
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
  byReach(a.reach, b.reach) ||
  (a.since ?? "9").localeCompare(b.since ?? "9")
