import * as Effect from "effect/Effect"
import * as z from "zod"
import { Channels } from "#src/db/delivery/Channels.ts"
import { MAX_CHANNELS } from "#src/db/delivery/channels/createChannel.ts"
import { channelActionRoutes } from "./channelActionRoutes.ts"
import { changeOf, checkUrl, distinct } from "./channelChange.ts"
import { CHANNEL_PARENTS, channelActions, type ChannelParent, findScope, parentScope } from "./ChannelParent.ts"
import { showChannel, toChannelResource } from "./channelResource.ts"
import { success } from "#src/http/server/envelope.ts"
import { createOnce, isReplay } from "#src/http/server/idempotent.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { answers, created as onCreate, written } from "#src/http/server/schemas/answers.ts"
import { channelCreate, channelData, ChannelDeleted, channelPage, channelPatch, shownSecret } from "./channelSchemas.ts"
import { readSecret, shownOnce } from "./channelSecret.ts"
import { configOf, findKind } from "./kindFields.ts"
import type { Routes, Server } from "#src/http/server/Server.ts"
import { channelExists } from "./channelExists.ts"
import { channelLimitReached, channelNotFound } from "./deliveryErrors.ts"
import { verifyChange } from "./verifyChange.ts"
import { verifyReceiver } from "./verifyReceiver.ts"

/** CRUD routes for the channels of one home. */
const resourceRoutes = (server: Server, parent: ChannelParent): void => {
  const { app, answer, baseUrl, channelKinds } = server
  const ChannelData = channelData(channelKinds)
  const { param, path, name, title } = parent
  const tags = ["Channels"]
  const parentParams = z.object({ [param]: z.string() })
  const params = z.object({ [param]: z.string(), channel_id: z.string() })
  const headers = z.object({ "idempotency-key": z.string().optional() })

  app.post(
    path,
    {
      config: { exists: parent.exists, writes: true },
      schema: {
        operationId: `create${name}`,
        summary: `Create a channel ${title}, which pushes events to a URL`,
        tags,
        params: parentParams,
        headers,
        body: channelCreate(channelKinds),
        response: answers(
          ChannelData.extend({ ...shownSecret, ...onCreate }),
          String(parent.absent.code),
          "channel_limit_reached",
          "channel_unverified",
          "channel_url_rejected"
        )
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const scope = yield* parentScope(parent, request)
          const { url: text, secret: given, events, from } = request.body
          const kind = findKind(channelKinds, request.body.kind)
          const url = yield* checkUrl(text)
          const secret = yield* readSecret(kind, given)
          const config = configOf(kind, request.body)
          const subscription = config["mcp_subscription"]
          // Before the transaction of the create, which may not wait for a receiver.
          if (typeof subscription === "string" && !(yield* isReplay(request)))
            yield* verifyReceiver(subscription, url, secret)
          return yield* createOnce(
            request,
            Effect.gen(function* () {
              const channels = yield* Channels
              const channel = yield* channels
                .create(scope, {
                  kind,
                  url,
                  secret,
                  events: distinct(events),
                  config,
                  fromStart: from === "start"
                })
                .pipe(Effect.catchTag("ChannelLimitReached", () => Effect.fail(channelLimitReached(MAX_CHANNELS))))
              return {
                ...success(
                  toChannelResource(channelKinds, channel),
                  channelActions(baseUrl(), parent, scope, channel.channel_id)
                ),
                ...shownOnce(kind, secret)
              }
            })
          )
        })
      )
  )

  app.get(
    path,
    {
      config: { exists: parent.exists },
      schema: {
        operationId: `list${name}s`,
        summary: `List the channels ${title}`,
        tags,
        params: parentParams,
        querystring: z.object(listQuery),
        response: answers(channelPage(channelKinds), String(parent.absent.code))
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { cursor, limit } = request.query
          const after = yield* cursorKey(cursor)
          const scope = yield* parentScope(parent, request)
          const rows = yield* Channels.use((channels) => channels.list(scope, { after, limit: limit + 1 }))
          const { items, next_cursor } = page(rows, limit, (row) => row.channel_id)
          return success(
            { channels: items.map((item) => toChannelResource(channelKinds, item)), next_cursor },
            items.slice(0, 1).flatMap((item) => channelActions(baseUrl(), parent, scope, item.channel_id))
          )
        })
      )
  )

  app.get(
    `${path}/:channel_id`,
    {
      schema: {
        operationId: `get${name}`,
        summary: `Get a channel ${title}`,
        tags,
        params,
        response: answers(ChannelData, "channel_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { scope, id } = yield* findScope(request)
          return yield* showChannel(server, parent, scope, yield* Channels.use((channels) => channels.get(scope, id)))
        })
      )
  )

  app.patch(
    `${path}/:channel_id`,
    {
      config: { exists: channelExists, writes: true },
      schema: {
        operationId: `update${name}`,
        summary: `Update a channel ${title}, or rotate its secret`,
        tags,
        params,
        body: channelPatch(channelKinds),
        response: answers(
          ChannelData.extend({ ...shownSecret, ...written }),
          "channel_not_found",
          "channel_unverified",
          "channel_url_rejected"
        )
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { scope, id } = yield* findScope(request)
          const channel = yield* Channels.use((channels) => channels.get(scope, id))
          if (channel === undefined) return yield* channelNotFound
          const kind = findKind(channelKinds, channel.kind)
          const change = yield* verifyChange(scope, channel, yield* changeOf(channelKinds, kind, request.body))
          const stored = yield* Channels.use((channels) => channels.change(scope, channel, change))
          const changed = yield* showChannel(server, parent, scope, stored)
          return { ...changed, ...shownOnce(kind, change.secret?.next) }
        }).pipe(
          // What was verified may no longer be what results. Each attempt fails only because another change succeeded.
          Effect.retry({ while: ({ _tag }) => _tag === "ChannelChanged" }),
          Effect.catchTag("ChannelChanged", Effect.die)
        )
      )
  )

  app.delete(
    `${path}/:channel_id`,
    {
      config: { writes: true },
      schema: {
        operationId: `delete${name}`,
        summary: `Delete a channel ${title}. Pending events are not pushed`,
        tags,
        params,
        response: answers(ChannelDeleted, "channel_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { scope, id } = yield* findScope(request)
          const removed = yield* Channels.use((channels) => channels.remove(scope, id))
          return removed === undefined ? yield* channelNotFound : success({ id, deleted: true })
        })
      )
  )
}

export const channelRoutes: Routes = (server) => {
  for (const parent of CHANNEL_PARENTS) {
    resourceRoutes(server, parent)
    channelActionRoutes(server, parent)
  }
}
