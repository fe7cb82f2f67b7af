import * as Effect from "effect/Effect"
import * as z from "zod"
import { Channels } from "#src/db/delivery/Channels.ts"
import type { ChannelRow } from "#src/db/operators/OperatorChannels.ts"
import { ActionLog } from "#src/db/operators/ActionLog.ts"
import type { AuditAction } from "#src/db/tenancy/auditLog.ts"
import { ChannelReplay } from "#src/http/delivery/channelSchemas.ts"
import { testChannel } from "#src/http/delivery/testChannel.ts"
import { success } from "#src/http/server/envelope.ts"
import { answers, written } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { ACTS } from "./access.ts"
import { Reason } from "./botActionRoutes.ts"
import { findAnyChannel, toOperatorChannel } from "./operatorChannelRoutes.ts"
import { OperatorChannel, OperatorChannelTest } from "./operatorChannelSchemas.ts"
import { anyChannelNotFound } from "./operatorErrors.ts"

const scopeOf = ({ app_id, session_id }: ChannelRow) => ({ appId: app_id, sessionId: session_id })

/** Changes a webhook, and records its status before and after. */
const changing = Effect.fnUntraced(function* (
  channelId: string,
  action: AuditAction,
  reason: string | null,
  change: (channels: Channels["Service"], row: ChannelRow) => ReturnType<Channels["Service"]["pause"]>
) {
  const row = yield* findAnyChannel(channelId)
  const channels = yield* Channels
  yield* ActionLog.use((audit) =>
    audit.change(
      { appId: row.app_id, action, subject: channelId, reason },
      Effect.gen(function* () {
        const changed = (yield* change(channels, row)) ?? (yield* anyChannelNotFound)
        return { result: undefined, before: { status: row.status }, after: { status: changed.status } }
      })
    )
  )
  return success(toOperatorChannel(yield* findAnyChannel(channelId)))
})

/** Actions on the webhooks of any app. */
export const operatorChannelActionRoutes: Routes = ({ app, answer }) => {
  const params = z.object({ channel_id: z.string() })
  const response = answers(OperatorChannel.extend(written), "channel_not_found")

  app.post(
    "/admin/channels/:channel_id/pause",
    {
      config: { auth: ACTS, writes: true },
      schema: {
        operationId: "pauseOperatorChannel",
        summary: "Pause a webhook of any app. Nothing is pushed until it is resumed, and nothing is lost",
        params,
        body: Reason.optional(),
        response
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        changing(request.params.channel_id, "channel.paused", request.body?.reason ?? null, (channels, row) =>
          channels.pause(scopeOf(row), row.channel_id)
        )
      )
  )

  app.post(
    "/admin/channels/:channel_id/resume",
    {
      config: { auth: ACTS, writes: true },
      schema: {
        operationId: "resumeOperatorChannel",
        summary: "Resume a webhook of any app that is paused, failing or disabled, from its position",
        params,
        body: Reason.optional(),
        response
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        changing(request.params.channel_id, "channel.resumed", request.body?.reason ?? null, (channels, row) =>
          channels.resume(scopeOf(row), row.channel_id)
        )
      )
  )

  app.post(
    "/admin/channels/:channel_id/replay",
    {
      config: { auth: ACTS, writes: true },
      schema: {
        operationId: "replayOperatorChannel",
        summary: "Push the events after a cursor again through a webhook of any app",
        params,
        body: ChannelReplay,
        response
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        changing(request.params.channel_id, "channel.replayed", null, (channels, row) =>
          channels.replay(scopeOf(row), row.channel_id, request.body.since)
        )
      )
  )

  app.post(
    "/admin/channels/:channel_id/test",
    {
      config: { auth: ACTS, writes: true },
      schema: {
        operationId: "testOperatorChannel",
        summary: "Send a test event, which is not on the log, through a webhook of any app",
        params,
        response: answers(OperatorChannelTest, "channel_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const row = yield* findAnyChannel(request.params.channel_id)
          const { app_id: appId, channel_id: channelId } = row
          const channel =
            (yield* Channels.use((channels) => channels.get(scopeOf(row), channelId))) ?? (yield* anyChannelNotFound)
          const { outcome, status_code, error_code, latency_ms } = yield* testChannel(appId, channel)
          yield* ActionLog.use((audit) =>
            audit.note({ appId, action: "channel.tested", subject: channelId, detail: { outcome } })
          )
          return success({ outcome, status_code, error_code, latency_ms })
        })
      )
  )
}
