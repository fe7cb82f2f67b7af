import { budgetProblems, mismatchProblems, suspensions } from "./appProblems.ts"
import { botProblems } from "./botProblems.ts"
import { byUrgency } from "./byUrgency.ts"
import { channelProblems, laneProblems, unknownProblems } from "./deliveryProblems.ts"
import type { Evidence } from "./Evidence.ts"
import type { Problem } from "./Problem.ts"
import { databaseProblems, diskProblems, workerProblems } from "./serverProblems.ts"
import { jobProblems, modelProblems, queueProblems } from "./workProblems.ts"

/**
 * Everything that is wrong, worst first. The one place that decides so: every view and every alert shows these rows.
 */
export const findProblems = (evidence: Evidence): ReadonlyArray<Problem> => {
  const { at, database } = evidence
  const ofDatabase = databaseProblems(database, at)
  const ofDisks = evidence.disks.flatMap(diskProblems)
  // Without the database nothing else is known.
  if (!database.reachable) return [...ofDatabase, ...ofDisks]
  return [
    ...ofDatabase,
    ...ofDisks,
    ...workerProblems(evidence.workers, at),
    ...queueProblems(evidence.queue, at),
    ...evidence.jobs.flatMap((job) => jobProblems(job, at)),
    ...modelProblems(evidence.model, evidence.modelCondition, at),
    ...evidence.bots.flatMap((bot) => botProblems(bot, at)),
    ...evidence.channels.flatMap(channelProblems),
    ...evidence.lanes.flatMap((lane) => laneProblems(lane, at)),
    ...evidence.unknown.flatMap(unknownProblems),
    ...evidence.budgets.flatMap(budgetProblems),
    ...evidence.mismatches.flatMap(mismatchProblems),
    ...suspensions(evidence)
  ].sort(byUrgency)
}
