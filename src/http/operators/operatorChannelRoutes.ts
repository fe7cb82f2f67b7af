import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { CHANNEL_STATES, type ChannelRow, OperatorChannels } from "#src/db/operators/OperatorChannels.ts"
import { Rollups } from "#src/db/operators/Rollups.ts"
import { success } from "#src/http/server/envelope.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { VIEWS } from "./access.ts"
import { totalsAt } from "./operatorAppResource.ts"
import { OperatorChannel, OperatorChannelPage, OperatorChannelQuery } from "./operatorChannelSchemas.ts"
import { anyChannelNotFound } from "./operatorErrors.ts"
import { positionOf, sortedPage, wordsOf } from "./position.ts"

/** The webhook that a path names. */
export const findAnyChannel = Effect.fnUntraced(function* (channelId: string) {
  const found = isId("chn", channelId) ? yield* OperatorChannels.use((channels) => channels.get(channelId)) : undefined
  return found ?? (yield* anyChannelNotFound)
})

export const toOperatorChannel = (row: ChannelRow) => ({
  id: row.channel_id,
  app_id: row.app_id,
  app_name: row.app_name,
  session_id: row.session_id,
  kind: row.kind,
  url: row.url,
  events: row.events,
  status: row.status,
  attempts_24h: row.attempts_24h,
  failures_24h: row.failures_24h,
  failure_rate: row.attempts_24h === 0 ? null : row.failures_24h / row.attempts_24h,
  failing_since: row.failing_since?.toISOString() ?? null,
  consecutive_failures: row.consecutive_failures,
  last_success_at: row.last_success_at?.toISOString() ?? null,
  paused_until: row.not_before?.toISOString() ?? null,
  created_at: row.created_at.toISOString()
})

/** The webhooks of every app. */
export const operatorChannelRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/admin/channels",
    {
      config: { auth: VIEWS },
      schema: {
        operationId: "listOperatorChannels",
        summary: "List the webhooks of every app, those that fail most first",
        querystring: OperatorChannelQuery,
        response: answers(OperatorChannelPage)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { sort, app_id: appId = null, state, limit, cursor } = request.query
          const after = yield* positionOf(cursor)
          const states = yield* wordsOf("state", state, CHANNEL_STATES)
          const rows = yield* OperatorChannels.use((channels) =>
            channels.list({ appId, states }, sort, { after, limit: limit + 1 })
          )
          const { items, next_cursor } = sortedPage(rows, limit, (row) => row.channel_id)
          const { attempts } = yield* Rollups.use(({ asOf }) => asOf)
          return success({ channels: items.map(toOperatorChannel), totals: totalsAt(attempts), next_cursor })
        })
      )
  )

  app.get(
    "/admin/channels/:channel_id",
    {
      config: { auth: VIEWS },
      schema: {
        operationId: "getOperatorChannel",
        summary: "Get a webhook of any app",
        params: z.object({ channel_id: z.string() }),
        response: answers(OperatorChannel, "channel_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.map(findAnyChannel(request.params.channel_id), (row) => success(toOperatorChannel(row)))
      )
  )
}
