import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Files that start processes of their own. They wait most of their time. */
const PROCESSES = /\/test\/(e2e\/|db\/postgres\/embedded\.test)/
/**
 * The slowest test files, slowest first. Others are ordered by their last duration, or else by size, which is a poor
 * predictor for these.
 */
const LONGEST = [
  "e2e/conversation/crash",
  "e2e/operators/start-up",
  "e2e/conversation/chaos",
  "e2e/operators/stuck",
  "e2e/telegram/telegram",
  "db/postgres/embedded",
  "e2e/operators/app-suspension",
  "e2e/conversation/long-conversation",
  "e2e/memory/reading-crash",
  "e2e/delivery/courier",
  "e2e/telegram/telegram-chaos",
  "e2e/billing/money",
  "http/server/no-500",
  "telegram/inbound",
  "safety/messages",
  "http/privacy/export-large",
  "telegram/forms",
  "http/server/contract-points",
  "http/server/isolation-by-route",
  "db/postgres/statements"
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
