import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { isId } from "#pipeline/domain/Id.ts"
import { Allowances } from "#src/db/Allowances.ts"
import { ApiKeys } from "#src/db/ApiKeys.ts"
import { Apps } from "#src/db/Apps.ts"
import { Channels } from "#src/db/Channels.ts"
import { Characters } from "#src/db/Characters.ts"
import { Evidence } from "#src/db/Evidence.ts"
import { Findings } from "#src/db/Findings.ts"
import { Memories } from "#src/db/Memories.ts"
import { RelationshipLists } from "#src/db/RelationshipLists.ts"
import { Research } from "#src/db/Research.ts"
import { Sessions } from "#src/db/Sessions.ts"
import { BatchRows } from "#src/db/telegram/BatchRows.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import { accountAppOf } from "./accountApp.ts"
import { channelScope } from "./channelScope.ts"
import type { Kind } from "./errors.ts"
import { isKeyPrefix } from "./keyResource.ts"
import { isExternalUserRef } from "./schemas/caps.ts"
import { isSlug } from "./schemas/character.ts"

/** Whether what the path names is there, asked only when the rest of the request is wrong: absence comes first. */
export const isThere = Effect.fnUntraced(function*(kind: Kind, request: FastifyRequest) {
  const params = request.params as Record<string, string>
  const { app_id = "", batch_id = "", bot_id = "", channel_id = "", evidence_id = "", external_user_ref = "", finding_id = "", loop_id = "", memory_id = "", prefix = "", research_id = "", slug = "", session_id = "" } = params
  const session = { appId: request.principal?.appId ?? "", sessionId: session_id }
  switch (kind) {
    case "account_app":
      return (yield* accountAppOf(request)) !== undefined
    case "api_key": {
      const owner = yield* accountAppOf(request)
      return owner !== undefined && isKeyPrefix(prefix) && (yield* ApiKeys.use((keys) => keys.get({ appId: owner.app_id, prefix }))) !== undefined
    }
    case "account_end_user": {
      const owner = yield* accountAppOf(request)
      return owner !== undefined && isExternalUserRef(external_user_ref) && (yield* Allowances.use((allowances) => allowances.ofEndUser(owner.app_id, external_user_ref))) !== undefined
    }
    case "end_user":
      return isExternalUserRef(external_user_ref) && (yield* Allowances.use((allowances) => allowances.ofEndUser(request.principal.appId, external_user_ref))) !== undefined
    case "app":
      return app_id === request.principal.appId && (yield* Apps.use((apps) => apps.get(app_id))) !== undefined
    case "batch":
      return isId("bat", batch_id) && (yield* BatchRows.use((rows) => rows.get(request.principal.appId, batch_id))) !== undefined
    case "bot":
      return isId("bot", bot_id) && (yield* BotRows.use((rows) => rows.get(request.principal.appId, bot_id))) !== undefined
    case "channel": {
      const scope = channelScope(request.principal.appId, params)
      return scope !== undefined && isId("chn", channel_id) && (yield* Channels.use((channels) => channels.get(scope, channel_id))) !== undefined
    }
    case "character":
      return isSlug(slug) && (yield* Characters.use((characters) => characters.get(request.principal.appId, slug))) !== undefined
    case "evidence":
      return isSlug(slug) && isId("evd", evidence_id) && (yield* Evidence.use((evidence) => evidence.get({ appId: session.appId, slug }, evidence_id))) !== undefined
    case "finding":
      return isSlug(slug) && isId("rsr", research_id) && isId("fnd", finding_id) && (yield* Findings.use((findings) => findings.get({ appId: session.appId, slug }, research_id, finding_id))) !== undefined
    case "research":
      return isSlug(slug) && isId("rsr", research_id) && (yield* Research.use((research) => research.get({ appId: session.appId, slug }, research_id))) !== undefined
    case "memory":
      return isId("mem", memory_id) && isId("ses", session_id) && (yield* Memories.use((memories) => memories.get(session, memory_id))) !== undefined
    case "open_loop":
      return isId("lop", loop_id) && isId("ses", session_id) && (yield* RelationshipLists.use((lists) => lists.loop(session, loop_id))) !== undefined
    case "session":
      return isId("ses", session_id) && (yield* Sessions.use((sessions) => sessions.get(request.principal.appId, session_id))) !== undefined
  }
})
