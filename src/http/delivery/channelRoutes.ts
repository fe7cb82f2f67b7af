import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { FastifyRequest } from "fastify"
import * as z from "zod"
import { Outbound } from "#channels/outbound/Outbound.ts"
import { newSecret } from "#channels/webhook/newSecret.ts"
import { isId } from "#pipeline/domain/Id.ts"
import type { ChannelScope } from "#src/db/delivery/Alignment.ts"
import { Channels } from "#src/db/delivery/Channels.ts"
import type { StoredChannel } from "#src/db/delivery/channels/StoredChannel.ts"
import type { ChannelChange } from "#src/db/delivery/channels/changeChannel.ts"
import { MAX_CHANNELS } from "#src/db/delivery/channels/createChannel.ts"
import { Sessions } from "#src/db/conversation/Sessions.ts"
import { channelScope } from "./channelScope.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { channelLimitReached, channelUrlRejected, notFound } from "#src/http/server/errors.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { answers, created as onCreate, written } from "#src/http/server/schemas/answers.ts"
import {
  ChannelCreate,
  ChannelData,
  ChannelDeleted,
  ChannelPage,
  ChannelPatch,
  ChannelReplay,
  ChannelTest,
  shownSecret
} from "./channelSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { testChannel } from "./testChannel.ts"

/** The two homes of channels. */
const HOMES = [
  {
    kind: "session",
    param: "session_id",
    path: "/v1/sessions/:session_id/channels",
    name: "SessionChannel",
    title: "of a session"
  },
  {
    kind: "app",
    param: "app_id",
    path: "/v1/apps/:app_id/channels",
    name: "AppChannel",
    title: "for every session of the app"
  }
] as const

const toResource = (channel: StoredChannel) => ({
  id: channel.channel_id,
  session_id: channel.session_id,
  kind: channel.kind,
  url: channel.url,
  events: channel.events,
  status: channel.status,
  position: channel.position,
  consecutive_failures: channel.consecutive_failures,
  created_at: channel.created_at.toISOString()
})

const checkUrl = (url: string) =>
  Outbound.use((outbound) => outbound.checkUrl(url)).pipe(
    Effect.catchTag("UrlRejected", (rejected) => Effect.fail(channelUrlRejected(rejected)))
  )

const distinct = (events: ChannelCreate["events"]) =>
  events === undefined || events === null ? null : [...new Set(events)]

const changeOf = Effect.fnUntraced(function* ({ url, events, secret, previous_secret_ttl_seconds }: ChannelPatch) {
  const change: ChannelChange = {
    ...(url !== undefined && { url: yield* checkUrl(url) }),
    ...(events !== undefined && { events: distinct(events) }),
    ...(secret !== undefined && {
      secret: {
        next: secret === "rotate" ? newSecret() : Redacted.make(secret),
        previousFor: Duration.seconds(previous_secret_ttl_seconds)
      }
    })
  }
  return change
})

export const channelRoutes: Routes = ({ app, answer, baseUrl }) => {
  for (const { kind, param, path, name, title } of HOMES) {
    const tags = ["Channels"]
    const within = z.object({ [param]: z.string() })
    const params = z.object({ [param]: z.string(), channel_id: z.string() })
    const headers = z.object({ "idempotency-key": z.string().optional() })

    /** What a path with a channel's id names. */
    const find = Effect.fnUntraced(function* (request: FastifyRequest) {
      const given = request.params as Record<string, string>
      const scope = channelScope(request.principal.appId, given)
      const id = given["channel_id"] ?? ""
      return scope !== undefined && isId("chn", id) ? { scope, id } : yield* notFound.channel
    })
    /** What a path without one names. */
    const home = Effect.fnUntraced(function* (request: FastifyRequest) {
      const scope = channelScope(request.principal.appId, request.params as Record<string, string>)
      if (scope === undefined) return yield* notFound[kind]
      const { appId, sessionId } = scope
      if (sessionId !== null && (yield* Sessions.use((sessions) => sessions.get(appId, sessionId))) === undefined)
        return yield* notFound.session
      return scope
    })
    const actions = ({ appId, sessionId }: ChannelScope, id: string) => {
      const at = `${path.replace(":session_id", sessionId ?? "").replace(":app_id", appId)}/${id}`
      return [
        { command: curl(baseUrl(), "POST", `${at}/test`), description: "Have a test event pushed now" },
        { command: curl(baseUrl(), "GET", at), description: "See how the channel is doing" },
        ...(sessionId === null
          ? []
          : [
              {
                command: curl(baseUrl(), "GET", `/v1/sessions/${sessionId}/delivery?channel_id=${id}`),
                description: "See what was delivered"
              }
            ])
      ]
    }
    const shown = (scope: ChannelScope, channel: StoredChannel | undefined) =>
      channel === undefined
        ? Effect.fail(notFound.channel)
        : Effect.succeed(success(toResource(channel), actions(scope, channel.channel_id)))

    app.post(
      path,
      {
        config: { within: kind, writes: true },
        schema: {
          operationId: `create${name}`,
          summary: `Have events pushed to a URL: a channel ${title}`,
          tags,
          params: within,
          headers,
          body: ChannelCreate,
          response: answers(ChannelData.extend({ ...shownSecret, ...onCreate }), 404, 409, 413)
        }
      },
      (request, reply) =>
        answer(
          request,
          reply,
          Effect.gen(function* () {
            const scope = yield* home(request)
            const { url: text, secret: given, events, from } = request.body
            const url = yield* checkUrl(text)
            return yield* createOnce(
              request,
              Effect.gen(function* () {
                const secret = given === undefined ? newSecret() : Redacted.make(given)
                const channels = yield* Channels
                const channel = yield* channels
                  .create(scope, {
                    kind: "webhook",
                    url,
                    secret,
                    events: distinct(events),
                    fromStart: from === "start"
                  })
                  .pipe(Effect.catchTag("ChannelLimitReached", () => Effect.fail(channelLimitReached(MAX_CHANNELS))))
                return {
                  ...success(toResource(channel), actions(scope, channel.channel_id)),
                  shownOnce: { secret: Redacted.value(secret) }
                }
              })
            )
          })
        )
    )

    app.get(
      path,
      {
        config: { within: kind },
        schema: {
          operationId: `list${name}s`,
          summary: `The channels ${title}`,
          tags,
          params: within,
          querystring: z.object(listQuery),
          response: answers(ChannelPage, 404)
        }
      },
      (request, reply) =>
        answer(
          request,
          reply,
          Effect.gen(function* () {
            const { cursor, limit } = request.query
            const after = yield* cursorKey(cursor)
            const scope = yield* home(request)
            const rows = yield* Channels.use((channels) => channels.list(scope, { after, limit: limit + 1 }))
            const { items, next_cursor } = page(rows, limit, (row) => row.channel_id)
            return success(
              { channels: items.map(toResource), next_cursor },
              items.slice(0, 1).flatMap((item) => actions(scope, item.channel_id))
            )
          })
        )
    )

    app.get(
      `${path}/:channel_id`,
      {
        schema: {
          operationId: `get${name}`,
          summary: `A channel ${title}`,
          tags,
          params,
          response: answers(ChannelData, 404)
        }
      },
      (request, reply) =>
        answer(
          request,
          reply,
          Effect.gen(function* () {
            const { scope, id } = yield* find(request)
            return yield* shown(scope, yield* Channels.use((channels) => channels.get(scope, id)))
          })
        )
    )

    app.patch(
      `${path}/:channel_id`,
      {
        config: { within: "channel", writes: true },
        schema: {
          operationId: `update${name}`,
          summary: `Change a channel ${title}, or rotate its secret`,
          tags,
          params,
          body: ChannelPatch,
          response: answers(ChannelData.extend({ ...shownSecret, ...written }), 404, 413)
        }
      },
      (request, reply) =>
        answer(
          request,
          reply,
          Effect.gen(function* () {
            const { scope, id } = yield* find(request)
            if ((yield* Channels.use((channels) => channels.get(scope, id))) === undefined)
              return yield* notFound.channel
            const change = yield* changeOf(request.body)
            const changed = yield* shown(scope, yield* Channels.use((channels) => channels.change(scope, id, change)))
            return change.secret === undefined
              ? changed
              : { ...changed, shownOnce: { secret: Redacted.value(change.secret.next) } }
          })
        )
    )

    app.delete(
      `${path}/:channel_id`,
      {
        config: { writes: true },
        schema: {
          operationId: `delete${name}`,
          summary: `Delete a channel ${title}; what it has not pushed is not pushed`,
          tags,
          params,
          response: answers(ChannelDeleted, 404)
        }
      },
      (request, reply) =>
        answer(
          request,
          reply,
          Effect.gen(function* () {
            const { scope, id } = yield* find(request)
            const removed = yield* Channels.use((channels) => channels.remove(scope, id))
            return removed === undefined ? yield* notFound.channel : success({ id, deleted: true })
          })
        )
    )

    app.post(
      `${path}/:channel_id/test`,
      {
        schema: {
          operationId: `test${name}`,
          summary: `Push a test event, which is on no log, through a channel ${title}`,
          tags,
          params,
          response: answers(ChannelTest, 404)
        }
      },
      (request, reply) =>
        answer(
          request,
          reply,
          Effect.gen(function* () {
            const { scope, id } = yield* find(request)
            const channel = yield* Channels.use((channels) => channels.get(scope, id))
            if (channel === undefined) return yield* notFound.channel
            return success(yield* testChannel(scope.appId, channel), actions(scope, id))
          })
        )
    )

    app.post(
      `${path}/:channel_id/pause`,
      {
        config: { writes: true },
        schema: {
          operationId: `pause${name}`,
          summary: `Push nothing more through a channel ${title} until it is resumed`,
          tags,
          params,
          headers,
          response: answers(ChannelData.extend(onCreate), 404)
        }
      },
      (request, reply) =>
        answer(
          request,
          reply,
          createOnce(
            request,
            Effect.gen(function* () {
              const { scope, id } = yield* find(request)
              return yield* shown(scope, yield* Channels.use((channels) => channels.pause(scope, id)))
            })
          )
        )
    )

    app.post(
      `${path}/:channel_id/resume`,
      {
        config: { writes: true },
        schema: {
          operationId: `resume${name}`,
          summary:
            `Go on pushing through a channel ${title} that was paused, is failing or was disabled, from where ` +
            `it ` +
            `stands`,
          tags,
          params,
          headers,
          response: answers(ChannelData.extend(onCreate), 404)
        }
      },
      (request, reply) =>
        answer(
          request,
          reply,
          createOnce(
            request,
            Effect.gen(function* () {
              const { scope, id } = yield* find(request)
              return yield* shown(scope, yield* Channels.use((channels) => channels.resume(scope, id)))
            })
          )
        )
    )

    app.post(
      `${path}/:channel_id/replay`,
      {
        config: { within: "channel", writes: true },
        schema: {
          operationId: `replay${name}`,
          summary: `Push again what comes after a cursor, through a channel ${title}`,
          tags,
          params,
          headers,
          body: ChannelReplay,
          response: answers(ChannelData.extend(onCreate), 404, 413)
        }
      },
      (request, reply) =>
        answer(
          request,
          reply,
          createOnce(
            request,
            Effect.gen(function* () {
              const { scope, id } = yield* find(request)
              return yield* shown(
                scope,
                yield* Channels.use((channels) => channels.replay(scope, id, request.body.since))
              )
            })
          )
        )
    )
  }
}
