import * as Effect from "effect/Effect"
import * as z from "zod"
import { Channels } from "#src/db/delivery/Channels.ts"
import { success } from "#src/http/server/envelope.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { answers, created as onCreate } from "#src/http/server/schemas/answers.ts"
import type { Server } from "#src/http/server/Server.ts"
import { channelActions, type ChannelParent, findScope } from "./ChannelParent.ts"
import { showChannel } from "./channelResource.ts"
import { channelData, ChannelReplay, ChannelTest } from "./channelSchemas.ts"
import { testChannel } from "./testChannel.ts"
import { channelExists } from "./channelExists.ts"
import { channelNotFound } from "./deliveryErrors.ts"

/** Actions on channels of one home: test, pause, resume, replay. */
export const channelActionRoutes = (server: Server, parent: ChannelParent): void => {
  const { app, answer, baseUrl, channelKinds } = server
  const ChannelData = channelData(channelKinds)
  const { param, path, name, title } = parent
  const tags = ["Channels"]
  const params = z.object({ [param]: z.string(), channel_id: z.string() })
  const headers = z.object({ "idempotency-key": z.string().optional() })

  app.post(
    `${path}/:channel_id/test`,
    {
      schema: {
        operationId: `test${name}`,
        summary: `Send a test event, which is not on the log, through a channel ${title}`,
        tags,
        params,
        response: answers(ChannelTest, "channel_not_found")
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
          return success(yield* testChannel(scope.appId, channel), channelActions(baseUrl(), parent, scope, id))
        })
      )
  )

  app.post(
    `${path}/:channel_id/pause`,
    {
      config: { writes: true },
      schema: {
        operationId: `pause${name}`,
        summary: `Pause a channel ${title}. Nothing is pushed until it is resumed`,
        tags,
        params,
        headers,
        response: answers(ChannelData.extend(onCreate), "channel_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { scope, id } = yield* findScope(request)
            return yield* showChannel(
              server,
              parent,
              scope,
              yield* Channels.use((channels) => channels.pause(scope, id))
            )
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
        summary: `Resume a channel ${title} that is paused, failing or disabled. It continues from its position`,
        tags,
        params,
        headers,
        response: answers(ChannelData.extend(onCreate), "channel_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { scope, id } = yield* findScope(request)
            return yield* showChannel(
              server,
              parent,
              scope,
              yield* Channels.use((channels) => channels.resume(scope, id))
            )
          })
        )
      )
  )

  app.post(
    `${path}/:channel_id/replay`,
    {
      config: { exists: channelExists, writes: true },
      schema: {
        operationId: `replay${name}`,
        summary: `Push the events after a cursor again, through a channel ${title}`,
        tags,
        params,
        headers,
        body: ChannelReplay,
        response: answers(ChannelData.extend(onCreate), "channel_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { scope, id } = yield* findScope(request)
            return yield* showChannel(
              server,
              parent,
              scope,
              yield* Channels.use((channels) => channels.replay(scope, id, request.body.since))
            )
          })
        )
      )
  )
}
