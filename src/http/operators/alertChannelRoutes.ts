import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as z from "zod"
import { ALERT_TYPES } from "#channels/OperationalLog.ts"
import { newSecret } from "#channels/webhook/secret.ts"
import { WEBHOOK } from "#channels/webhook/webhookKind.ts"
import { isId } from "#pipeline/domain/Id.ts"
import { ALERTS_APP } from "#src/health/alertsApp.ts"
import { Channels } from "#src/db/delivery/Channels.ts"
import { MAX_CHANNELS } from "#src/db/delivery/channels/createChannel.ts"
import type { StoredChannel } from "#src/db/delivery/channels/StoredChannel.ts"
import { ActionLog } from "#src/db/operators/ActionLog.ts"
import { Audit } from "#src/db/operators/Audit.ts"
import { checkUrl } from "#src/http/delivery/channelChange.ts"
import { channelLimitReached, channelNotFound } from "#src/http/delivery/deliveryErrors.ts"
import { testChannel } from "#src/http/delivery/testChannel.ts"
import { success } from "#src/http/server/envelope.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import {
  AlertChannelCreated,
  AlertChannelDeleted,
  AlertChannelPage,
  AlertChannelResumed,
  AlertChannelTested
} from "./alertSchemas.ts"

/** The alert channels are the app-wide webhooks of the app that the alerts stand in. */
const SCOPE = { appId: ALERTS_APP, sessionId: null } as const
const MAX_URL = 2048

const shown = ({ channel_id, url, status, consecutive_failures, created_at }: StoredChannel) => ({
  channel_id,
  url,
  status,
  consecutive_failures,
  created_at: created_at.toISOString()
})

/** A channel of this id, or 404. */
const found = <E, R>(id: string, channel: Effect.Effect<StoredChannel | undefined, E, R>) =>
  isId("chn", id)
    ? Effect.filterOrElse(
        channel,
        (row): row is StoredChannel => row !== undefined,
        () => Effect.fail(channelNotFound)
      )
    : Effect.fail(channelNotFound)

/** Where alerts are sent: webhooks with the deliveries, retries and signatures of all others. */
export const alertChannelRoutes: Routes = ({ app, answer }) => {
  const params = z.object({ channel_id: z.string() })
  const headers = z.object({ "idempotency-key": z.string().optional() })
  const path = "/admin/alert-channels"
  const acts = { auth: { operator: "operator" }, writes: true } as const

  app.get(
    path,
    {
      config: { auth: { operator: "viewer" } },
      schema: {
        operationId: "listAlertChannels",
        summary: "List the webhooks that alerts are sent to",
        response: answers(AlertChannelPage)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.map(
          Channels.use((channels) => channels.list(SCOPE, { after: null, limit: MAX_CHANNELS })),
          (channels) => success({ channels: channels.map(shown) })
        )
      )
  )

  app.post(
    path,
    {
      config: acts,
      schema: {
        operationId: "createAlertChannel",
        summary: "Have alerts sent to a webhook. The answer has the secret that they are signed with",
        headers,
        body: z.object({ url: z.string().min(1).max(MAX_URL) }),
        response: answers(AlertChannelCreated, "channel_limit_reached", "channel_url_rejected")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const url = yield* checkUrl(request.body.url)
          return yield* createOnce(
            request,
            Effect.gen(function* () {
              const secret = newSecret()
              const events = [...ALERT_TYPES]
              const create = Channels.use((channels) =>
                channels.create(SCOPE, { kind: WEBHOOK, url, secret, events, config: {}, fromStart: false })
              )
              const channel = yield* Audit.use((audit) =>
                audit.changing(create, ({ channel_id }) => ({ action: "alert_channel.created", subject: channel_id }))
              ).pipe(Effect.catchTag("ChannelLimitReached", () => Effect.fail(channelLimitReached(MAX_CHANNELS))))
              return { ...success(shown(channel)), shownOnce: { secret: Redacted.value(secret) } }
            })
          )
        })
      )
  )

  app.delete(
    `${path}/:channel_id`,
    {
      config: acts,
      schema: {
        operationId: "deleteAlertChannel",
        summary: "Send no more alerts to a webhook",
        params,
        response: answers(AlertChannelDeleted, "channel_not_found")
      }
    },
    (request, reply) => {
      const { channel_id } = request.params
      const remove = found(
        channel_id,
        Channels.use((channels) => channels.remove(SCOPE, channel_id))
      )
      return answer(
        request,
        reply,
        Effect.as(
          Audit.use((audit) =>
            audit.changing(remove, () => ({ action: "alert_channel.deleted", subject: channel_id }))
          ),
          success({ channel_id, deleted: true })
        )
      )
    }
  )

  app.post(
    `${path}/:channel_id/resume`,
    {
      config: acts,
      schema: {
        operationId: "resumeAlertChannel",
        summary: "Resume a webhook for alerts that is paused, failing or disabled. It continues where it stopped",
        params,
        headers,
        response: answers(AlertChannelResumed, "channel_not_found")
      }
    },
    (request, reply) => {
      const { channel_id } = request.params
      const resume = found(
        channel_id,
        Channels.use((channels) => channels.resume(SCOPE, channel_id))
      )
      const resumed = Audit.use((audit) =>
        audit.changing(resume, () => ({ action: "alert_channel.resumed", subject: channel_id }))
      )
      return answer(
        request,
        reply,
        createOnce(
          request,
          Effect.map(resumed, (channel) => success(shown(channel)))
        )
      )
    }
  )

  app.post(
    `${path}/:channel_id/test`,
    {
      config: acts,
      schema: {
        operationId: "testAlertChannel",
        summary: "Send a test event to a webhook for alerts, and see the result",
        params,
        response: answers(AlertChannelTested, "channel_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { channel_id } = request.params
          const channel = yield* found(
            channel_id,
            Channels.use((channels) => channels.get(SCOPE, channel_id))
          )
          const result = yield* testChannel(ALERTS_APP, channel)
          const { outcome } = result
          yield* ActionLog.use((audit) =>
            audit.note({ action: "alert_channel.tested", subject: channel_id, detail: { outcome } })
          )
          return success(result)
        })
      )
  )
}
