import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { Activity } from "#src/db/operators/Activity.ts"
import { Health } from "#src/db/operators/Health.ts"
import { fold, type Group } from "#src/health/Group.ts"
import { statusOf } from "#src/health/statusOf.ts"
import { verdict } from "#src/health/verdict.ts"
import { success } from "#src/http/server/envelope.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { AttentionData, FigureData, hoursOf, PointData, todayOf } from "./overviewFigures.ts"
import { type Names, NO_NAMES, nameOf, namesOf } from "./problemNames.ts"

/** Rows of the attention feed. */
const MOST = 100
const HOUR_MS = 3_600_000

export const OverviewData = z.object({
  status: z.enum(["ok", "degraded", "down"]),
  verdict: z.string().describe("The state of everything in one sentence"),
  checked_at: z.iso.datetime(),
  attention: z.array(AttentionData).describe("Equal problems of an app as one row, worst first. At most 100"),
  fleet: z
    .object({ apps: z.int(), bots: z.int(), webhooks: z.int(), as_of: z.iso.datetime() })
    .nullable()
    .describe("How many there are, counted once a minute. null: not counted yet"),
  figures: z
    .object({
      from: z.iso.datetime().describe("Beginning of the day (UTC)"),
      as_of: z.iso.datetime().nullable().describe("Beginning of the latest period that was counted"),
      messages_in: FigureData,
      messages_out: FigureData,
      accept_to_reply_p50_ms: FigureData,
      accept_to_reply_p99_ms: FigureData,
      unknown: FigureData,
      expired: FigureData,
      spent_today_usd: FigureData,
      spent_yesterday_usd: FigureData
    })
    .describe("Of today"),
  hours: z.array(PointData).describe("The last 24 hours, in order")
})

const named = (group: Group, names: Names) => ({
  ...group,
  app_name: group.app_id === null ? null : (names.apps.get(group.app_id) ?? null),
  names: group.examples.map((example) => nameOf(example, names)).filter((name) => name !== "")
})

/** What an operator sees first. */
export const overviewRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/admin/overview",
    {
      config: { auth: { operator: "viewer" } },
      schema: {
        operationId: "getOverview",
        summary: "Get the state of the server in one sentence, what needs attention, and the figures of today",
        response: answers(OverviewData)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const now = new Date(yield* Clock.currentTimeMillis)
          const { evidence, problems } = yield* Health.use((health) => health.ofServer)
          const activity = yield* Activity
          const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate())
          const since = new Date(midnight - 24 * HOUR_MS)
          // The figures are missing if the database is unreachable; the verdict says so.
          const groups = fold(problems).slice(0, MOST)
          const [rows, fleet, names] = evidence.database.reachable
            ? yield* Effect.all(
                [activity.since(since), activity.fleet, namesOf(groups.flatMap(({ examples }) => examples))],
                { concurrency: 2 }
              )
            : [[], null, NO_NAMES]
          return success({
            status: statusOf(problems),
            verdict: verdict(problems, fleet),
            checked_at: evidence.at.toISOString(),
            attention: groups.map((group) => named(group, names)),
            fleet:
              fleet === null
                ? null
                : { apps: fleet.apps, bots: fleet.bots, webhooks: fleet.webhooks, as_of: fleet.at.toISOString() },
            figures: todayOf(rows, new Date(midnight)),
            hours: hoursOf(rows, now)
          })
        })
      )
  )
}
