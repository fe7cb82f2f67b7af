import { createHash, randomInt } from "node:crypto"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { isSoak } from "./sized.ts"

/**
 * The slowest test files, slowest first, so that none of them is the last to start while other workers are idle. The
 * order of all others is that of their paths. It depends on no earlier run: a clean clone has the same order.
 */
const SLOWEST = [
  "e2e/operators/faults",
  "e2e/conversation/crash",
  "e2e/console/everyday",
  "e2e/telegram/telegram",
  "e2e/operators/stuck",
  "e2e/character/hostile-imports",
  "e2e/operators/start-up",
  "e2e/operators/move",
  "e2e/memory/reading-crash",
  "e2e/operators/alerts",
  "e2e/delivery/courier",
  "e2e/operators/backup-faults",
  "db/postgres/embedded",
  "e2e/billing/money",
  "e2e/console/console",
  "e2e/console/first-day",
  "e2e/telegram/telegram-chaos",
  "e2e/conversation/long-conversation",
  "e2e/conversation/attacks",
  "telegram/inbound",
  "http/operators/operator-actions",
  "db/postgres/statements",
  "client/faults",
  "telegram/delivery",
  "http/server/contract-points",
  "http/server/no-500",
  "safety/messages",
  "telegram/rebrand",
  "safety/short",
  "client/package"
]
const rankOf = ({ moduleId }: TestSpecification) => {
  const rank = SLOWEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return rank === -1 ? SLOWEST.length : rank
}

/** `npm run soak` runs the files in another order each time. */
const SHUFFLE = randomInt(1_000_000)
const shuffled = ({ moduleId }: TestSpecification) =>
  createHash("sha256").update(`${SHUFFLE} ${moduleId}`).digest("hex")

/** The same order in every run of `npm test`. Vitest runs the projects in the order of their groups. */
export class FileOrder extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    if (isSoak) return files.toSorted((one, other) => (shuffled(one) < shuffled(other) ? -1 : 1))
    return files.toSorted((one, other) => rankOf(one) - rankOf(other) || (one.moduleId < other.moduleId ? -1 : 1))
  }
}
