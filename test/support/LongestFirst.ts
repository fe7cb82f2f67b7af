import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * The slowest test files, slowest first. Others are ordered by their last duration, or else by size, which is a poor
 * predictor for these.
 */
const LONGEST = [
  "e2e/operators/stuck",
  "e2e/operators/start-up",
  "e2e/telegram/telegram",
  "e2e/conversation/crash",
  "e2e/conversation/chaos",
  "e2e/operators/app-suspension",
  "e2e/telegram/telegram-chaos",
  "e2e/billing/money",
  "db/postgres/embedded",
  "e2e/delivery/courier",
  "e2e/telegram/telegram-secrets",
  "e2e/tenancy/sandbox-secrets",
  "telegram/inbound",
  "http/server/no-500",
  "db/postgres/statements",
  "telegram/forms",
  "http/server/contract-points",
  "http/server/isolation-by-route",
  "pipeline/proactive-year",
  "channels/log-model"
]
const rankOf = ({ moduleId }: TestSpecification) => {
  const rank = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return rank === -1 ? LONGEST.length : rank
}

/** A long file that starts last would keep the whole run waiting. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    return sorted.toSorted((one, other) => groupOf(one) - groupOf(other) || rankOf(one) - rankOf(other))
  }
}
