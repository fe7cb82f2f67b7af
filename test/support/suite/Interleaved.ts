import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Files that start processes of their own. They wait most of their time. */
const PROCESSES = /\/test\/(e2e\/|db\/postgres\/embedded\.test)/
/**
 * The slowest test files, slowest first. Others are ordered by their last duration, or else by size, which is a poor
 * predictor for these.
 */
const LONGEST = [
  "e2e/conversation/chaos",
  "e2e/operators/stuck",
  "e2e/conversation/feed",
  "e2e/character/hostile-imports",
  "e2e/conversation/attacks",
  "e2e/telegram/telegram",
  "e2e/operators/alerts",
  "e2e/evals/evals",
  "e2e/conversation/crash",
  "e2e/operators/start-up",
  "e2e/billing/money",
  "db/postgres/embedded",
  "e2e/telegram/telegram-chaos",
  "e2e/operators/app-suspension",
  "e2e/memory/reading-crash",
  "e2e/telegram/telegram-holds",
  "e2e/conversation/long-conversation",
  "e2e/delivery/courier",
  "http/server/no-500",
  "db/postgres/statements",
  "telegram/inbound",
  "http/operators/operator-actions",
  "pipeline/proactive-year",
  "client/faults",
  "safety/messages",
  "client/package",
  "http/privacy/export-large",
  "http/server/contract-points",
  "channels/webhook",
  "http/server/isolation-by-route",
  "telegram/forms"
]
const rankOf = ({ moduleId }: TestSpecification) => {
  const rank = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return rank === -1 ? LONGEST.length : rank
}

/**
 * Spreads the files that start processes over the run, longest first: they mostly wait, and the others mostly compute.
 * A long file that starts last would keep the whole run waiting.
 */
export class Interleaved extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other))
    const waiting = sorted.filter(({ moduleId }) => PROCESSES.test(moduleId))
    const computing = sorted.filter(({ moduleId }) => !PROCESSES.test(moduleId))
    const share = (list: ReadonlyArray<TestSpecification>) =>
      list.map((file, place) => ({ file, at: (place + 0.5) / list.length }))
    return [...share(waiting), ...share(computing)].toSorted((one, other) => one.at - other.at).map(({ file }) => file)
  }
}
