import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { isId } from "#pipeline/domain/Id.ts"
import { Allowances } from "#src/db/billing/Allowances.ts"
import { Assets } from "#src/db/character/Assets.ts"
import { ApiKeys } from "#src/db/tenancy/ApiKeys.ts"
import { Apps } from "#src/db/tenancy/Apps.ts"
import { Channels } from "#src/db/delivery/Channels.ts"
import { Characters } from "#src/db/character/Characters.ts"
import { Imports } from "#src/db/character/Imports.ts"
import { ArcInfluences } from "#src/db/world/ArcInfluences.ts"
import { GraphEdges } from "#src/db/world/GraphEdges.ts"
import { Storylines } from "#src/db/world/Storylines.ts"
import { Npcs } from "#src/db/world/Npcs.ts"
import { Images } from "#src/db/character/Images.ts"
import { EvalRuns } from "#src/db/evals/EvalRuns.ts"
import { EvalSuites } from "#src/db/evals/EvalSuites.ts"
import { Evidence } from "#src/db/research/Evidence.ts"
import { Findings } from "#src/db/research/Findings.ts"
import { Memories } from "#src/db/memory/Memories.ts"
import { RelationshipLists } from "#src/db/memory/RelationshipLists.ts"
import { Research } from "#src/db/research/Research.ts"
import { ScheduledMessages } from "#src/db/proactive/ScheduledMessages.ts"
import { Sessions } from "#src/db/conversation/Sessions.ts"
import { BatchRows } from "#src/db/telegram/BatchRows.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import { accountAppOf } from "#src/http/tenancy/accountApp.ts"
import { channelScope } from "#src/http/delivery/channelScope.ts"
import { accountEndUserNotFound } from "#src/http/billing/billingErrors.ts"
import { characterNotFound, loreEntryNotFound } from "#src/http/character/characterErrors.ts"
import { importNotFound } from "#src/http/character/importErrors.ts"
import { assetNotFound, imageNotFound } from "#src/http/character/pictureErrors.ts"
import { sessionNotFound } from "#src/http/conversation/conversationErrors.ts"
import { channelNotFound } from "#src/http/delivery/deliveryErrors.ts"
import { evalRunNotFound, evalSuiteNotFound } from "#src/http/evals/evalErrors.ts"
import { memoryNotFound, openLoopNotFound } from "#src/http/memory/memoryErrors.ts"
import { endUserNotFound } from "#src/http/privacy/privacyErrors.ts"
import { scheduledMessageNotFound } from "#src/http/proactive/proactiveErrors.ts"
import { evidenceNotFound, findingNotFound, researchNotFound } from "#src/http/research/researchErrors.ts"
import { batchNotFound, botNotFound } from "#src/http/telegram/telegramErrors.ts"
import { accountAppNotFound, apiKeyNotFound, appNotFound } from "#src/http/tenancy/tenancyErrors.ts"
import { arcInfluenceNotFound, edgeNotFound, npcNotFound, storylineNotFound } from "#src/http/world/worldErrors.ts"
import { loreOf } from "#src/http/character/lore.ts"
import { isKeyPrefix } from "#src/http/tenancy/keyResource.ts"
import { isExternalUserRef } from "#src/http/billing/capsSchemas.ts"
import { isSlug } from "#src/http/character/characterSchemas.ts"

/** What is answered where a kind of resource is absent. */
export const notFound = {
  account_app: accountAppNotFound,
  api_key: apiKeyNotFound,
  account_end_user: accountEndUserNotFound,
  end_user: endUserNotFound,
  app: appNotFound,
  asset: assetNotFound,
  batch: batchNotFound,
  bot: botNotFound,
  channel: channelNotFound,
  eval_run: evalRunNotFound,
  eval_suite: evalSuiteNotFound,
  character: characterNotFound,
  image: imageNotFound,
  import: importNotFound,
  evidence: evidenceNotFound,
  finding: findingNotFound,
  research: researchNotFound,
  memory: memoryNotFound,
  arc_influence: arcInfluenceNotFound,
  edge: edgeNotFound,
  storyline: storylineNotFound,
  session_storyline: storylineNotFound,
  lore_entry: loreEntryNotFound,
  npc: npcNotFound,
  scheduled_message: scheduledMessageNotFound,
  open_loop: openLoopNotFound,
  session: sessionNotFound
} as const
export type Kind = keyof typeof notFound

/** Whether what the path names is there, asked only when the rest of the request is wrong: absence comes first. */
export const isThere = Effect.fnUntraced(function* (kind: Kind, request: FastifyRequest) {
  const params = request.params as Record<string, string>
  const {
    app_id = "",
    asset_id = "",
    arc_id = "",
    edge_id = "",
    entry_id = "",
    storyline_id = "",
    batch_id = "",
    bot_id = "",
    channel_id = "",
    evidence_id = "",
    external_user_ref = "",
    finding_id = "",
    import_id = "",
    image_id = "",
    loop_id = "",
    memory_id = "",
    npc_id = "",
    prefix = "",
    research_id = "",
    run_id = "",
    scheduled_id = "",
    slug = "",
    session_id = "",
    suite_id = ""
  } = params
  const session = { appId: request.principal?.appId ?? "", sessionId: session_id }
  switch (kind) {
    case "account_app":
      return (yield* accountAppOf(request)) !== undefined
    case "api_key": {
      const owner = yield* accountAppOf(request)
      return (
        owner !== undefined &&
        isKeyPrefix(prefix) &&
        (yield* ApiKeys.use((keys) => keys.get({ appId: owner.app_id, prefix }))) !== undefined
      )
    }
    case "account_end_user": {
      const owner = yield* accountAppOf(request)
      return (
        owner !== undefined &&
        isExternalUserRef(external_user_ref) &&
        (yield* Allowances.use((allowances) => allowances.ofEndUser(owner.app_id, external_user_ref))) !== undefined
      )
    }
    case "end_user":
      return (
        isExternalUserRef(external_user_ref) &&
        (yield* Allowances.use((allowances) => allowances.ofEndUser(request.principal.appId, external_user_ref))) !==
          undefined
      )
    case "app":
      return app_id === request.principal.appId && (yield* Apps.use((apps) => apps.get(app_id))) !== undefined
    case "asset":
      return (
        isSlug(slug) &&
        isId("ast", asset_id) &&
        (yield* Assets.use((assets) => assets.get(request.principal.appId, slug, asset_id))) !== undefined
      )
    case "batch":
      return (
        isId("bat", batch_id) &&
        (yield* BatchRows.use((rows) => rows.get(request.principal.appId, batch_id))) !== undefined
      )
    case "bot":
      return (
        isId("bot", bot_id) && (yield* BotRows.use((rows) => rows.get(request.principal.appId, bot_id))) !== undefined
      )
    case "channel": {
      const scope = channelScope(request.principal.appId, params)
      return (
        scope !== undefined &&
        isId("chn", channel_id) &&
        (yield* Channels.use((channels) => channels.get(scope, channel_id))) !== undefined
      )
    }
    case "eval_run":
      return (
        isId("evr", run_id) && (yield* EvalRuns.use((runs) => runs.get(request.principal.appId, run_id))) !== undefined
      )
    case "eval_suite":
      return (
        isId("evs", suite_id) &&
        (yield* EvalSuites.use((suites) => suites.get(request.principal.appId, suite_id))) !== undefined
      )
    case "character":
      return (
        isSlug(slug) &&
        (yield* Characters.use((characters) => characters.get(request.principal.appId, slug))) !== undefined
      )
    case "image":
      return (
        isId("img", image_id) &&
        (yield* Images.use((images) => images.get(request.principal.appId, image_id))) !== undefined
      )
    case "import":
      return (
        isId("imp", import_id) &&
        (yield* Imports.use((imports) => imports.get(request.principal.appId, import_id))) !== undefined
      )
    case "evidence":
      return (
        isSlug(slug) &&
        isId("evd", evidence_id) &&
        (yield* Evidence.use((evidence) => evidence.get({ appId: session.appId, slug }, evidence_id))) !== undefined
      )
    case "finding":
      return (
        isSlug(slug) &&
        isId("rsr", research_id) &&
        isId("fnd", finding_id) &&
        (yield* Findings.use((findings) => findings.get({ appId: session.appId, slug }, research_id, finding_id))) !==
          undefined
      )
    case "research":
      return (
        isSlug(slug) &&
        isId("rsr", research_id) &&
        (yield* Research.use((research) => research.get({ appId: session.appId, slug }, research_id))) !== undefined
      )
    case "memory":
      return (
        isId("mem", memory_id) &&
        isId("ses", session_id) &&
        (yield* Memories.use((memories) => memories.get(session, memory_id))) !== undefined
      )
    case "arc_influence":
      return (
        isSlug(slug) &&
        isId("arc", arc_id) &&
        (yield* ArcInfluences.use((arcs) => arcs.get({ appId: session.appId, slug }, arc_id))) !== undefined
      )
    case "edge":
      return (
        isSlug(slug) &&
        isId("edg", edge_id) &&
        (yield* GraphEdges.use((edges) => edges.get({ appId: session.appId, slug }, edge_id))) !== undefined
      )
    case "storyline":
      return (
        isSlug(slug) &&
        isId("stl", storyline_id) &&
        (yield* Storylines.use((storylines) => storylines.get({ appId: session.appId, slug }, storyline_id))) !==
          undefined
      )
    case "session_storyline": {
      const found = isId("ses", session_id)
        ? yield* Sessions.use((sessions) => sessions.get(session.appId, session_id))
        : undefined
      return (
        found !== undefined &&
        isId("stl", storyline_id) &&
        (yield* Storylines.use((storylines) =>
          storylines.get({ appId: session.appId, slug: found.character_slug }, storyline_id)
        )) !== undefined
      )
    }
    case "lore_entry": {
      const character = isSlug(slug)
        ? yield* Characters.use((characters) => characters.get(session.appId, slug))
        : undefined
      return character !== undefined && loreOf(character.profile).some(({ id }) => id === entry_id)
    }
    case "npc":
      return (
        isSlug(slug) &&
        isId("npc", npc_id) &&
        (yield* Npcs.use((npcs) => npcs.get({ appId: session.appId, slug }, npc_id))) !== undefined
      )
    case "scheduled_message":
      return (
        isId("sch", scheduled_id) &&
        isId("ses", session_id) &&
        (yield* ScheduledMessages.use((messages) => messages.get(session, scheduled_id))) !== undefined
      )
    case "open_loop":
      return (
        isId("lop", loop_id) &&
        isId("ses", session_id) &&
        (yield* RelationshipLists.use((lists) => lists.loop(session, loop_id))) !== undefined
      )
    case "session":
      return (
        isId("ses", session_id) &&
        (yield* Sessions.use((sessions) => sessions.get(request.principal.appId, session_id))) !== undefined
      )
  }
})
