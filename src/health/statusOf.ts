import type { Problem, ProblemKind } from "./Problem.ts"

/** With one of these, nobody gets an answer. */
const DOWN: ReadonlySet<ProblemKind> = new Set(["database_unreachable", "database_standby", "no_worker"])
export const isDown = ({ kind }: Problem): boolean => DOWN.has(kind)

export type Status = "ok" | "degraded" | "down"

/** The state that these problems amount to. What somebody has stopped on purpose counts as ok. */
export const statusOf = (problems: ReadonlyArray<Problem>): Status =>
  problems.some(isDown) ? "down" : problems.some(({ severity }) => severity !== "info") ? "degraded" : "ok"
