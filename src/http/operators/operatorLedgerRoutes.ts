import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { Ledger, type Mismatch } from "#src/db/billing/Ledger.ts"
import { Rollups } from "#src/db/operators/Rollups.ts"
import { MAX_SPENDING_GROUPS, Spending, SPENDING_GROUPS } from "#src/db/operators/Spending.ts"
import { success } from "#src/http/server/envelope.ts"
import { validationError } from "#src/http/server/errors.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import { day } from "#src/http/server/schemas/moment.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { toUsd } from "#src/http/server/usd.ts"
import { VIEWS } from "./access.ts"
import { Totals } from "./operatorAppSchemas.ts"
import { totalsAt } from "./operatorAppResource.ts"

const DAY_MS = 86_400_000
const MAX_DAYS = 366
/** The days of an answer that names none. */
const DEFAULT_DAYS = 30

const SpendingData = z.object({
  from: z.iso.date(),
  to: z.iso.date().describe("Included"),
  group_by: z.enum(SPENDING_GROUPS),
  groups: z
    .array(
      z.object({
        key: z.string(),
        cost_usd: z.number(),
        turns: z.int(),
        failed_turns: z.int(),
        input_tokens: z.int().describe("Counted by model only"),
        output_tokens: z.int().describe("Counted by model only")
      })
    )
    .describe(`At most ${MAX_SPENDING_GROUPS}: the most expensive ones, or the first days`),
  totals: Totals
})
const usd = z.number()
const Discrepancies = z.object({
  check: z
    .object({
      checked_at: z.iso.datetime(),
      since: z.iso.datetime().describe("Turns that were accepted since then were checked"),
      turns: z.int(),
      mismatches: z.array(
        z.object({
          app_id: z.string(),
          session_id: z.string(),
          turn_index: z.int(),
          run_ref: z.string(),
          staged_usd: usd.describe("Cost of the stages"),
          settled_usd: usd.describe("Cost in the ledger"),
          charged_usd: usd.describe("Cost on the turn"),
          held_usd: usd.describe("What is still reserved. It should be 0")
        })
      )
    })
    .nullable()
    .describe("The last nightly comparison of the ledger with the turns. null: there was none")
})

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

const toMismatch = (turn: Mismatch) => ({
  app_id: turn.app_id,
  session_id: turn.session_id,
  turn_index: turn.turn_index,
  run_ref: turn.run_ref,
  staged_usd: toUsd(turn.staged),
  settled_usd: toUsd(turn.settled),
  charged_usd: toUsd(turn.charged),
  held_usd: toUsd(turn.held)
})

/** What was spent, and whether the ledger agrees with the turns. */
export const operatorLedgerRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/admin/ledger",
    {
      config: { auth: VIEWS },
      schema: {
        operationId: "readSpending",
        summary: "Sum up what was spent, by app, day, kind of activity or model",
        querystring: z.object({
          app_id: z.string().max(64).optional(),
          from: day.optional().describe(`Default: ${DEFAULT_DAYS} days ago`),
          to: day.optional().describe("The last day. Default: today"),
          group_by: z.enum(SPENDING_GROUPS).default("app")
        }),
        response: answers(SpendingData)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const nowMs = yield* Clock.currentTimeMillis
          const { app_id: appId = null, group_by: groupBy } = request.query
          const to = request.query.to ?? dayOf(nowMs)
          const from = request.query.from ?? dayOf(Date.parse(to) - DEFAULT_DAYS * DAY_MS)
          if (from > to || Date.parse(to) - Date.parse(from) > MAX_DAYS * DAY_MS)
            return yield* validationError(`query.from: Must be at most ${MAX_DAYS} days before query.to`)
          const rows = yield* Spending.use((spending) => spending.read({ appId, from, to, groupBy }))
          const { usage } = yield* Rollups.use(({ asOf }) => asOf)
          return success({
            from,
            to,
            group_by: groupBy,
            groups: rows.map(({ key, micro_usd, turns, failed, input_tokens, output_tokens }) => ({
              key,
              cost_usd: toUsd(micro_usd),
              turns,
              failed_turns: failed,
              input_tokens,
              output_tokens
            })),
            totals: totalsAt(usage)
          })
        })
      )
  )

  app.get(
    "/admin/ledger/discrepancies",
    {
      config: { auth: VIEWS },
      schema: {
        operationId: "readDiscrepancies",
        summary: "Get the turns whose costs did not match the ledger in the last nightly check",
        response: answers(Discrepancies)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const check = yield* Ledger.use(({ lastCheck }) => lastCheck)
          return success({
            check:
              check === undefined
                ? null
                : {
                    checked_at: check.checked_at.toISOString(),
                    since: check.since.toISOString(),
                    turns: check.turns,
                    mismatches: check.mismatches.map(toMismatch)
                  }
          })
        })
      )
  )
}
