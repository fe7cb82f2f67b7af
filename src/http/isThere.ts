import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { isId } from "#pipeline/domain/Id.ts"
import { Apps } from "#src/db/Apps.ts"
import { Channels } from "#src/db/Channels.ts"
import { Characters } from "#src/db/Characters.ts"
import { Sessions } from "#src/db/Sessions.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import { channelScope } from "./channelScope.ts"
import type { Kind } from "./errors.ts"
import { isSlug } from "./schemas/character.ts"

/** Whether what the path names is there, asked only when the rest of the request is wrong: absence comes first. */
export const isThere = Effect.fnUntraced(function*(kind: Kind, request: FastifyRequest) {
  const params = request.params as Record<string, string>
  const { app_id = "", bot_id = "", channel_id = "", slug = "", session_id = "" } = params
  const { appId } = request.principal
  switch (kind) {
    case "app":
      return app_id === appId && (yield* Apps.use((apps) => apps.get(appId))) !== undefined
    case "bot":
      return isId("bot", bot_id) && (yield* BotRows.use((rows) => rows.get(appId, bot_id))) !== undefined
    case "channel": {
      const scope = channelScope(appId, params)
      return scope !== undefined && isId("chn", channel_id) && (yield* Channels.use((channels) => channels.get(scope, channel_id))) !== undefined
    }
    case "character":
      return isSlug(slug) && (yield* Characters.use((characters) => characters.get(appId, slug))) !== undefined
    case "session":
      return isId("ses", session_id) && (yield* Sessions.use((sessions) => sessions.get(appId, session_id))) !== undefined
  }
})
