import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Channel, ChannelKinds } from "#channels/Channel.ts"
import { Courier, CourierName } from "#channels/Courier.ts"
import { Feeds } from "#channels/event-log/Feeds.ts"
import * as LogWatch from "#channels/event-log/LogWatch.ts"
import { Outbound } from "#channels/outbound/Outbound.ts"
import { Pages } from "#channels/outbound/Pages.ts"
import { BotApi } from "#channels/telegram/BotApi.ts"
import { makeTelegramChannel, TELEGRAM_KINDS } from "#channels/telegram/TelegramChannel.ts"
import { Outage } from "#channels/telegram/Outage.ts"
import { Typing } from "#channels/telegram/Typing.ts"
import { makeWebhookChannel } from "#channels/webhook/WebhookChannel.ts"
import { REWRITE_RULES } from "#pipeline/critic/criticPrompt.ts"
import {
  BLOCK_RULES,
  INITIATIVE_LAST_WORD,
  LAST_WORD,
  PLAIN_RULES,
  SERVICE_RULES
} from "#pipeline/generation/prompt.ts"
import { Critic } from "#pipeline/critic/Critic.ts"
import { Analyst } from "#pipeline/grounding/Analyst.ts"
import { TurnPipeline, type TurnPipelineOptions } from "#pipeline/Turn.ts"
import { AccountAuthentication } from "#src/accounts/AccountAuthentication.ts"
import { Authentication } from "#src/accounts/Authentication.ts"
import { IdentityProvider } from "#src/accounts/IdentityProvider.ts"
import { KeyWatch } from "#src/accounts/KeyWatch.ts"
import * as Accept from "./db/conversation/Accept.ts"
import { Accounts } from "./db/tenancy/Accounts.ts"
import { AccountTokens } from "./db/tenancy/AccountTokens.ts"
import { Alignment } from "./db/delivery/Alignment.ts"
import { AuditEntries } from "./db/tenancy/AuditEntries.ts"
import { AppHealth } from "./db/operators/AppHealth.ts"
import { BudgetWarnings } from "./db/billing/BudgetWarnings.ts"
import { Channels } from "./db/delivery/Channels.ts"
import { CrashedUnits } from "#src/db/crashes/CrashedUnits.ts"
import { CharacterVersions } from "./db/character/CharacterVersions.ts"
import { Deliveries } from "./db/delivery/Deliveries.ts"
import { EvalQueue } from "#src/db/evals/EvalQueue.ts"
import { EvalRuns } from "#src/db/evals/EvalRuns.ts"
import { EvalSuites } from "#src/db/evals/EvalSuites.ts"
import { ShadowSessions } from "#src/db/evals/ShadowSessions.ts"
import { DeviceApprovals } from "./db/tenancy/DeviceApprovals.ts"
import { DeviceCodes } from "./db/tenancy/DeviceCodes.ts"
import * as EventLogReader from "./db/conversation/EventLogReader.ts"
import { Evidence } from "./db/research/Evidence.ts"
import * as EvidenceStores from "./db/research/EvidenceStores.ts"
import { Expenses } from "./db/billing/Expenses.ts"
import { ExpiredSandboxes } from "./db/privacy/ExpiredSandboxes.ts"
import { Findings } from "./db/research/Findings.ts"
import { Initiatives } from "./db/proactive/Initiatives.ts"
import * as KeyEndings from "./db/tenancy/KeyEndings.ts"
import * as Lanes from "./db/delivery/Lanes.ts"
import * as LoreRecords from "./db/character/LoreRecords.ts"
import * as MemoryStores from "./db/memory/MemoryStores.ts"
import * as Notifier from "./db/postgres/Notifier.ts"
import * as OperationalEvents from "./db/delivery/OperationalEvents.ts"
import { Memories } from "./db/memory/Memories.ts"
import { Metrics } from "./db/conversation/Metrics.ts"
import { Probes } from "./db/research/Probes.ts"
import { ProactivePolicies } from "./db/proactive/ProactivePolicies.ts"
import { RateLimits } from "./db/tenancy/RateLimits.ts"
import { ReadTurns } from "./db/memory/ReadTurns.ts"
import * as Recalls from "./db/memory/Recalls.ts"
import { RelationshipEdits } from "./db/memory/RelationshipEdits.ts"
import { RelationshipLists } from "./db/memory/RelationshipLists.ts"
import { ScheduledMessages } from "./db/proactive/ScheduledMessages.ts"
import { Research } from "./db/research/Research.ts"
import { Retention } from "./db/privacy/Retention.ts"
import { RollingLimits } from "./db/tenancy/RollingLimits.ts"
import { Runs } from "./db/conversation/Runs.ts"
import * as SafetyRecords from "./db/conversation/SafetyRecords.ts"
import { Sandboxes } from "./db/privacy/Sandboxes.ts"
import { Secrets } from "./db/postgres/Secrets.ts"
import { BatchRows } from "#src/db/telegram/BatchRows.ts"
import { BotLinks } from "#src/db/telegram/BotLinks.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import { ChatRows } from "#src/db/telegram/ChatRows.ts"
import { Conversations } from "#src/db/telegram/Conversations.ts"
import { Forgetting } from "#src/db/telegram/Forgetting.ts"
import { Holds } from "#src/db/telegram/Holds.ts"
import { HookBindings } from "#src/db/telegram/HookBindings.ts"
import { ManagerUpdates } from "#src/db/telegram/ManagerUpdates.ts"
import * as PhotoReader from "#src/db/telegram/PhotoReader.ts"
import { PolledBots } from "#src/db/telegram/PolledBots.ts"
import { Provisionings } from "#src/db/telegram/Provisionings.ts"
import * as TelegramBotReader from "#src/db/telegram/TelegramBotReader.ts"
import * as TelegramChatTable from "#src/db/telegram/TelegramChatTable.ts"
import * as TelegramPaces from "#src/db/telegram/TelegramPaces.ts"
import { Updates } from "#src/db/telegram/Updates.ts"
import { Words } from "#src/db/telegram/Words.ts"
import { Timeline } from "./db/conversation/Timeline.ts"
import { Traces } from "./db/conversation/Traces.ts"
import * as Transcripts from "./db/conversation/Transcripts.ts"
import { Turns } from "./db/conversation/Turns.ts"
import * as WebhookEndpointReader from "./db/delivery/WebhookEndpointReader.ts"
import { SessionStories } from "./db/memory/SessionStories.ts"
import { Worlds } from "./db/world/Worlds.ts"
import * as WorldStores from "./db/world/WorldStores.ts"
import { sealWebhookUrls } from "./db/delivery/webhookUrls.ts"
import { Workers } from "./db/conversation/Workers.ts"
import { HttpServer } from "./http/server/HttpServer.ts"
import { OpenReads } from "./http/server/limits/OpenReads.ts"
import { ParseWorkers } from "./http/server/body/ParseWorkers.ts"
import { givingUp } from "./jobs/runner/givingUp.ts"
import { EvalEngines } from "#src/jobs/evals/EvalEngines.ts"
import { EvalRunner } from "#src/jobs/evals/EvalRunner.ts"
import { Membership } from "./jobs/runner/Membership.ts"
import { Studio } from "./jobs/character/Studio.ts"
import { PublicAddress } from "./jobs/telegram/PublicAddress.ts"
import { Rehearsals } from "./jobs/character/Rehearsals.ts"
import { Researches } from "./jobs/research/Researches.ts"
import * as Runner from "./jobs/runner/Runner.ts"
import { Arming } from "#src/jobs/telegram/Arming.ts"
import { Batches } from "#src/jobs/telegram/Batches.ts"
import { Intake } from "#src/jobs/telegram/Intake.ts"
import { Introduction } from "#src/jobs/telegram/Introduction.ts"
import { Manager } from "#src/jobs/telegram/Manager.ts"
import * as Pollers from "#src/jobs/telegram/Pollers.ts"
import { Probe } from "#src/jobs/telegram/Probe.ts"
import { TurnReader } from "./jobs/memory/TurnReader.ts"
import { TurnRunner } from "./jobs/conversation/TurnRunner.ts"
import * as Watchdog from "./jobs/runner/Watchdog.ts"
import { Prices } from "#src/model/prices.ts"
import { evalMicroUsd, ModelCast, reserving } from "#src/model/reservation.ts"
import * as currentUnit from "./units/currentUnit.ts"
import { demoCharacters } from "./demo/characters.ts"
import { offlineWriter, painter, transcriber, writer } from "./engines.ts"
import { assets } from "./pictureLayers.ts"
import { pricing } from "./pricing.ts"
import { routes } from "./composition/routes.ts"
import { Settings } from "./settings.ts"

const publicAddress = Layer.unwrap(
  Effect.map(Settings, ({ publicUrl, host, port }) => PublicAddress.layer({ publicUrl, host, port }))
)

const inbox = Layer.unwrap(
  Effect.gen(function* () {
    return Accept.layer({ reserve: reserving(yield* Prices, yield* ModelCast) })
  })
)

const evalRuns = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    const worst = evalMicroUsd(yield* Prices, yield* ModelCast)
    return EvalRuns.layer({
      isFree: (engine) => engine === "offline" || settings.model === null,
      worstMicroUsd: worst
    })
  })
).pipe(Layer.provide(Expenses.layer))

/** The pipeline with nothing in it that a model does. */
const offlinePipeline = (options: TurnPipelineOptions) =>
  TurnPipeline.layer(options).pipe(
    Layer.provide([offlineWriter, Layer.succeed(Analyst, null), Layer.succeed(Critic, null)])
  )

/** What decides whether characters write first. */
const initiatives = Layer.unwrap(
  Effect.gen(function* () {
    return Initiatives.layer({ reserve: reserving(yield* Prices, yield* ModelCast) })
  })
).pipe(Layer.provideMerge(CharacterVersions.layer))

const probes = Probes.layer.pipe(Layer.provide(Expenses.layer))

/** What sources say of characters, and what is read in them. */
const evidence = Evidence.layer
const research = Layer.merge(Research.layer.pipe(Layer.provide(Expenses.layer)), Findings.layer).pipe(
  Layer.provideMerge(evidence)
)
const pages = Layer.unwrap(
  Effect.map(Settings, ({ outboundAllow, researchHosts }) =>
    Pages.layer({ allow: outboundAllow, hosts: researchHosts })
  )
)

/** The couriers lease lanes under the name that this process is registered by as a worker. */
const courierName = Layer.effect(
  CourierName,
  Effect.map(Membership, ({ current }) => CourierName.of({ current }))
)

/** What moves the lanes. */
export const courier = Courier.layer.pipe(Layer.provide([Lanes.layer, courierName]))

const outbound = Layer.unwrap(
  Effect.gen(function* () {
    const { outboundAllow } = yield* Settings
    return Outbound.layer({ allow: outboundAllow })
  })
)

const identityProvider = Layer.unwrap(
  Effect.gen(function* () {
    const { oidc, outboundAllow, production, trustedProxies } = yield* Settings
    return IdentityProvider.layer({ issuer: oidc, production, behindProxy: trustedProxies > 0, allow: outboundAllow })
  })
)

const deviceCodes = DeviceCodes.layer.pipe(Layer.provide(AccountTokens.layer))

const accounts = Layer.mergeAll(
  AccountAuthentication.layer,
  AuditEntries.layer,
  deviceCodes,
  DeviceApprovals.layer,
  identityProvider
).pipe(Layer.provideMerge(Layer.merge(Accounts.layer, AccountTokens.layer)))

const rateLimits = Layer.unwrap(Effect.map(Settings, ({ rates }) => RateLimits.layer(rates)))

/** How many of the demo characters a sandbox begins with. */
const READY = 2
const sandboxes = Layer.unwrap(
  Effect.gen(function* () {
    const {
      demo: { sandbox, keysPerHour }
    } = yield* Settings
    return Sandboxes.layer({ open: sandbox, keysPerHour, characters: demoCharacters.slice(0, READY) })
  })
)

/** The push channels there are. */
const channelKinds = Layer.effect(
  ChannelKinds,
  Effect.gen(function* () {
    const channels: ReadonlyArray<Channel> = [
      yield* makeWebhookChannel,
      ...(yield* Effect.forEach(TELEGRAM_KINDS, makeTelegramChannel))
    ]
    return new Map(channels.map((channel) => [channel.kind, givingUp(channel)]))
  })
).pipe(
  Layer.provide([WebhookEndpointReader.layer, Outage.layer, Typing.layer, TelegramChatTable.layer, PhotoReader.layer])
)

const botApi = Layer.unwrap(
  Effect.gen(function* () {
    const { telegram } = yield* Settings
    return BotApi.layer({ apiRoot: telegram.apiRoot })
  })
)

/** What looks after Telegram bots. */
const botCare = Layer.unwrap(
  Effect.gen(function* () {
    const { publicUrl, telegram } = yield* Settings
    return Layer.merge(Probe.layer, Batches.layer).pipe(
      Layer.provideMerge(
        Manager.layer({ token: telegram.managerToken, polling: telegram.mode === "polling", publicUrl })
      ),
      Layer.provide(Introduction.layer),
      Layer.provideMerge(Arming.layer({ polling: telegram.mode === "polling", publicUrl })),
      Layer.provideMerge(Layer.mergeAll(Provisionings.layer, ManagerUpdates.layer, BatchRows.layer)),
      Layer.provideMerge(BotRows.layer)
    )
  })
)

/** What handles what comes in from Telegram. */
const intake = Intake.layer.pipe(
  Layer.provide([
    inbox,
    Conversations.layer,
    Forgetting.layer,
    BotLinks.layer,
    TelegramChatTable.layer,
    Words.layer,
    transcriber
  ])
)

/** What the models that write are told, and nobody else is to read. */
const SERVICE_TEXT = [
  SERVICE_RULES,
  PLAIN_RULES,
  ...Object.values(BLOCK_RULES),
  LAST_WORD,
  INITIATIVE_LAST_WORD,
  REWRITE_RULES
].join("\n")

/** How far sessions are in their characters' stories. */
const stories = SessionStories.layer.pipe(Layer.provideMerge(CharacterVersions.layer))

const worker = Layer.unwrap(
  Effect.gen(function* () {
    const { deadlines, retention, safetyTexts, telegram } = yield* Settings
    const pollers =
      telegram.mode === "polling"
        ? Pollers.layer(telegram.managerToken).pipe(Layer.provide(PolledBots.layer))
        : Layer.empty
    const options = { deadlines, serviceText: SERVICE_TEXT, safetyTexts }
    return Layer.merge(Runner.layer, pollers).pipe(
      Layer.provide(
        EvalRunner.layer.pipe(
          Layer.provide([
            EvalQueue.layer.pipe(Layer.provide(Expenses.layer)),
            evalRuns,
            ShadowSessions.layer,
            EvalEngines.layer(offlinePipeline(options)),
            inbox
          ])
        )
      ),
      Layer.provide([
        Rehearsals.layer(options).pipe(Layer.provide(probes)),
        Researches.layer.pipe(Layer.provide([research, pages])),
        TurnRunner.layer,
        TurnReader.layer.pipe(Layer.provide(ReadTurns.layer), Layer.provide(stories)),
        courier,
        intake,
        Studio.layer
      ]),
      Layer.provide(TurnPipeline.layer(options)),
      Layer.provide([
        deviceCodes,
        EvidenceStores.layer.pipe(Layer.provide(evidence)),
        Transcripts.layer,
        LoreRecords.layer,
        Recalls.layer,
        MemoryStores.layer.pipe(Layer.provide(Memories.layer)),
        WorldStores.layer,
        SafetyRecords.layer,
        initiatives,
        Turns.layer,
        Membership.layer,
        BudgetWarnings.layer,
        Holds.layer,
        ExpiredSandboxes.layer,
        Retention.layer(retention)
      ])
    )
  })
)

const http = Layer.unwrap(
  Effect.gen(function* () {
    const {
      host,
      port,
      trustedProxies,
      perProcess: { streamsPerApp, publicRequests }
    } = yield* Settings
    return HttpServer.layer({ routes, host, port, trustedProxies, publicRequestsPerMinute: publicRequests }).pipe(
      Layer.provide([ParseWorkers.layer, OpenReads.layer(streamsPerApp)]),
      Layer.provide([
        accounts,
        sandboxes,
        probes,
        research,
        pages,
        transcriber,
        EvalSuites.layer,
        evalRuns,
        Authentication.layer,
        KeyWatch.layer,
        stories,
        AppHealth.layer,
        Metrics.layer,
        Memories.layer,
        RelationshipEdits.layer,
        RelationshipLists.layer,
        ScheduledMessages.layer,
        Runs.layer,
        Timeline.layer,
        Traces.layer,
        Channels.layer,
        Deliveries.layer,
        ChatRows.layer,
        BotLinks.layer,
        HookBindings.layer,
        inbox,
        initiatives,
        ProactivePolicies.layer
      ]),
      Layer.provide(LogWatch.layer.pipe(Layer.provideMerge(Feeds.layer), Layer.provideMerge(EventLogReader.layer)))
    )
  })
)

/**
 * One process in the roles that the settings give it. Its parts start and stop side by side; what they stand on starts
 * before and stops after them.
 */
export const roles = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    const serving = settings.roles.has("api") ? Layer.merge(http, KeyEndings.layer) : Layer.empty
    const working = settings.roles.has("worker") ? worker : Layer.empty
    return Layer.mergeAll(serving, working, Watchdog.layer, Notifier.layer).pipe(
      Layer.provide([writer, Workers.layer, channelKinds, botCare]),
      Layer.provide(Alignment.layer),
      Layer.provide(Worlds.layer),
      Layer.provide([rateLimits, RollingLimits.layer, TelegramBotReader.layer, TelegramPaces.layer, Updates.layer]),
      Layer.provide([botApi, OperationalEvents.layer, assets, painter, publicAddress]),
      Layer.provideMerge(outbound),
      Layer.provide(pricing),
      Layer.provide([sealWebhookUrls.pipe(Layer.provideMerge(Secrets.layer)), CrashedUnits.layer, currentUnit.layer])
    )
  })
)
