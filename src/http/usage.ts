import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Usage, type UsageGroup, type UsageRow } from "#src/db/Usage.ts"
import { toUsd } from "./caps.ts"
import { validationError } from "./errors.ts"

export interface UsageRequest {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly group_by?: UsageGroup | undefined
}

const toGroup = ({ key, messages, proactive, images, cost_micro_usd, input_tokens, cached_input_tokens, output_tokens }: UsageRow) => ({
  key,
  messages,
  proactive,
  images,
  tokens: { input: input_tokens, cached_input: cached_input_tokens, output: output_tokens },
  cost_usd: toUsd(cost_micro_usd)
})
const NOTHING: UsageRow = { key: null, messages: 0, proactive: 0, images: 0, cost_micro_usd: 0, input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 }

/** What these apps have used, or one of their end-users, as every usage route answers. */
export const readUsage = Effect.fnUntraced(function*(apps: ReadonlyArray<string>, request: UsageRequest, externalUserRef: string | null = null) {
  const now = new Date(yield* Clock.currentTimeMillis)
  const from = request.from === undefined ? new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)) : new Date(request.from)
  const to = request.to === undefined ? now : new Date(request.to)
  if (from.getTime() >= to.getTime()) return yield* validationError("query.from: Must be before query.to")
  const usage = yield* Usage
  const query = { apps, externalUserRef, from, to }
  const [all = NOTHING] = yield* usage.read({ ...query, groupBy: null })
  const groups = request.group_by === undefined ? [] : yield* usage.read({ ...query, groupBy: request.group_by })
  const { key: _, ...total } = toGroup(all)
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    ...total,
    group_by: request.group_by ?? null,
    groups: groups.map(toGroup)
  }
})
