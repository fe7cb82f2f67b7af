import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { REPORTED_KINDS } from "#pipeline/safety/reported.ts"
import { type SafetyCountRow, Usage, type UsageGroup, type UsageRow } from "#src/db/billing/Usage.ts"
import { toUsd } from "#src/http/server/usd.ts"
import { validationError } from "#src/http/server/errors.ts"

export interface UsageRequest {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly group_by?: UsageGroup | undefined
}

const toGroup = ({
  key,
  messages,
  proactive,
  images,
  cost_micro_usd,
  input_tokens,
  cached_input_tokens,
  output_tokens,
  unpriced
}: UsageRow) => ({
  key,
  messages,
  proactive,
  images,
  tokens: { input: input_tokens, cached_input: cached_input_tokens, output: output_tokens },
  cost_usd: toUsd(cost_micro_usd),
  priced: !unpriced
})
const NOTHING: UsageRow = {
  key: null,
  messages: 0,
  proactive: 0,
  images: 0,
  cost_micro_usd: 0,
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  unpriced: false
}

/** The usage of these apps or of one of their end-users, as every usage route returns it. */
export const readUsage = Effect.fnUntraced(function* (
  apps: ReadonlyArray<string>,
  request: UsageRequest,
  externalUserRef: string | null = null
) {
  const now = new Date(yield* Clock.currentTimeMillis)
  const from =
    request.from === undefined ? new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)) : new Date(request.from)
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

const countOf = (rows: ReadonlyArray<SafetyCountRow>, kind: SafetyCountRow["kind"]): number =>
  rows.reduce((sum, row) => (row.kind === kind ? sum + row.count : sum), 0)
const countsOf = (rows: ReadonlyArray<SafetyCountRow>) =>
  Object.fromEntries(REPORTED_KINDS.map((kind) => [kind, countOf(rows, kind)])) as Record<
    SafetyCountRow["kind"],
    number
  >

/** The counts of these apps for the safety reports, as every route for them returns it. */
export const readSafety = Effect.fnUntraced(function* (
  apps: ReadonlyArray<string>,
  request: { readonly from?: string | undefined; readonly to?: string | undefined }
) {
  const year = new Date(yield* Clock.currentTimeMillis).getUTCFullYear()
  const { from = `${year}-01-01`, to = `${year + 1}-01-01` } = request
  if (from >= to) return yield* validationError("query.from: Must be before query.to")
  const rows = yield* Usage.use((usage) => usage.safety({ apps, from, to }))
  const months = Map.groupBy(rows, ({ month }) => month)
  return {
    from,
    to,
    total: countsOf(rows),
    months: Array.from(months, ([month, rows]) => ({ month, ...countsOf(rows) }))
  }
})
