import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault
} from "fastify"
import type { ZodTypeProvider } from "fastify-type-provider-zod"
import type * as Effect from "effect/Effect"
import type { ChannelKinds } from "#channels/Channel.ts"
import type { EventLog } from "#channels/event-log/EventLog.ts"
import type { Feeds } from "#channels/event-log/Feeds.ts"
import type { LogSignals } from "#channels/event-log/LogSignals.ts"
import type { OperationalLog } from "#channels/OperationalLog.ts"
import type { Outbound } from "#channels/outbound/Outbound.ts"
import type { Pages } from "#channels/outbound/Pages.ts"
import type { Transcriber } from "#channels/Transcriber.ts"
import type { Inbox } from "#pipeline/Inbox.ts"
import type { Writer } from "#pipeline/generation/Writer.ts"
import type { AccountAuthentication, AccountPrincipal } from "#src/accounts/AccountAuthentication.ts"
import type { Authentication, Principal } from "#src/accounts/Authentication.ts"
import type { IdentityProvider } from "#src/accounts/IdentityProvider.ts"
import type { KeyWatch } from "#src/accounts/KeyWatch.ts"
import type { Scope } from "#src/accounts/scopes.ts"
import type { Accounts } from "#src/db/tenancy/Accounts.ts"
import type { AccountTokens } from "#src/db/tenancy/AccountTokens.ts"
import type { Allowances } from "#src/db/billing/Allowances.ts"
import type { ApiKeys } from "#src/db/tenancy/ApiKeys.ts"
import type { AppHealth } from "#src/db/operators/AppHealth.ts"
import type { Assets } from "#src/db/character/Assets.ts"
import type { Apps } from "#src/db/tenancy/Apps.ts"
import type { Channels } from "#src/db/delivery/Channels.ts"
import type { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import type { Characters } from "#src/db/character/Characters.ts"
import type { CharacterArchival } from "#src/db/conversation/CharacterArchival.ts"
import type { ContentSignatures } from "#src/db/character/ContentSignatures.ts"
import type { Database } from "#src/db/postgres/Database.ts"
import type { DeviceApprovals } from "#src/db/tenancy/DeviceApprovals.ts"
import type { DeviceCodes } from "#src/db/tenancy/DeviceCodes.ts"
import type { Deliveries } from "#src/db/delivery/Deliveries.ts"
import type { EndUsers } from "#src/db/privacy/EndUsers.ts"
import type { Evidence } from "#src/db/research/Evidence.ts"
import type { Findings } from "#src/db/research/Findings.ts"
import type { Research } from "#src/db/research/Research.ts"
import type { Erasures } from "#src/db/privacy/Erasures.ts"
import type { EvalRuns } from "#src/db/evals/EvalRuns.ts"
import type { EvalSuites } from "#src/db/evals/EvalSuites.ts"
import type { IdempotencyKeys } from "#src/db/tenancy/IdempotencyKeys.ts"
import type { Expenses } from "#src/db/billing/Expenses.ts"
import type { Images } from "#src/db/character/Images.ts"
import type { Imports } from "#src/db/character/Imports.ts"
import type { Initiatives } from "#src/db/proactive/Initiatives.ts"
import type { Memories } from "#src/db/memory/Memories.ts"
import type { Npcs } from "#src/db/world/Npcs.ts"
import type { Probes } from "#src/db/research/Probes.ts"
import type { ProactivePolicies } from "#src/db/proactive/ProactivePolicies.ts"
import type { RateLimits } from "#src/db/tenancy/RateLimits.ts"
import type { Metrics } from "#src/db/conversation/Metrics.ts"
import type { RelationshipEdits } from "#src/db/memory/RelationshipEdits.ts"
import type { RelationshipLists } from "#src/db/memory/RelationshipLists.ts"
import type { Relationships } from "#src/db/memory/Relationships.ts"
import type { RollingLimits } from "#src/db/tenancy/RollingLimits.ts"
import type { Runs } from "#src/db/conversation/Runs.ts"
import type { Sandboxes } from "#src/db/privacy/Sandboxes.ts"
import type { ScheduledMessages } from "#src/db/proactive/ScheduledMessages.ts"
import type { Sessions } from "#src/db/conversation/Sessions.ts"
import type { StoredObjects } from "#src/db/character/StoredObjects.ts"
import type { Timeline } from "#src/db/conversation/Timeline.ts"
import type { Traces } from "#src/db/conversation/Traces.ts"
import type { Usage } from "#src/db/billing/Usage.ts"
import type { ArcInfluences } from "#src/db/world/ArcInfluences.ts"
import type { GraphEdges } from "#src/db/world/GraphEdges.ts"
import type { SessionStories } from "#src/db/memory/SessionStories.ts"
import type { Storylines } from "#src/db/world/Storylines.ts"
import type { Worlds } from "#src/db/world/Worlds.ts"
import type { VisualIdentities } from "#src/db/character/VisualIdentities.ts"
import type { AuditEntries } from "#src/db/tenancy/AuditEntries.ts"
import type { BatchRows } from "#src/db/telegram/BatchRows.ts"
import type { BotApi } from "#channels/telegram/BotApi.ts"
import type { BotLinks } from "#src/db/telegram/BotLinks.ts"
import type { BotRows } from "#src/db/telegram/BotRows.ts"
import type { ChatRows } from "#src/db/telegram/ChatRows.ts"
import type { HookBindings } from "#src/db/telegram/HookBindings.ts"
import type { ManagerUpdates } from "#src/db/telegram/ManagerUpdates.ts"
import type { Provisionings } from "#src/db/telegram/Provisionings.ts"
import type { Updates } from "#src/db/telegram/Updates.ts"
import type { Arming } from "#src/jobs/telegram/Arming.ts"
import type { Manager } from "#src/jobs/telegram/Manager.ts"
import type { Probe } from "#src/jobs/telegram/Probe.ts"
import type { Painter } from "#src/model/Painter.ts"
import type { Pictures } from "#src/pictures/Pictures.ts"
import type { Storage } from "#src/storage/Storage.ts"
import type { HandlerError } from "./bridge.ts"
import type { Success } from "./envelope.ts"
import type { ApiError } from "./ApiError.ts"
import type { Exists } from "./existence.ts"
import type { OpenReads } from "./limits/OpenReads.ts"
import type { ParseWorkers } from "./body/ParseWorkers.ts"
import type { Accepted } from "./body/requireReadable.ts"

/** The services that handlers may use. */
export type HandlerServices =
  | AccountAuthentication
  | Accounts
  | AccountTokens
  | Allowances
  | ApiKeys
  | AppHealth
  | Apps
  | ArcInfluences
  | Arming
  | Assets
  | AuditEntries
  | Authentication
  | BatchRows
  | BotApi
  | BotLinks
  | BotRows
  | ChannelKinds
  | Channels
  | CharacterVersions
  | CharacterArchival
  | Characters
  | ChatRows
  | ContentSignatures
  | Database
  | Deliveries
  | EvalRuns
  | EvalSuites
  | DeviceApprovals
  | DeviceCodes
  | EndUsers
  | Erasures
  | EventLog
  | Evidence
  | Expenses
  | Feeds
  | Findings
  | GraphEdges
  | HookBindings
  | IdempotencyKeys
  | IdentityProvider
  | Imports
  | Images
  | Inbox
  | Initiatives
  | KeyWatch
  | LogSignals
  | Manager
  | ManagerUpdates
  | Memories
  | Metrics
  | Npcs
  | OpenReads
  | OperationalLog
  | Outbound
  | Pages
  | Painter
  | ParseWorkers
  | Pictures
  | ProactivePolicies
  | Probe
  | Probes
  | Provisionings
  | RateLimits
  | RelationshipEdits
  | RelationshipLists
  | Relationships
  | Research
  | RollingLimits
  | Runs
  | Sandboxes
  | ScheduledMessages
  | Sessions
  | Storage
  | StoredObjects
  | SessionStories
  | Storylines
  | Timeline
  | Traces
  | Transcriber
  | Updates
  | Usage
  | VisualIdentities
  | Worlds
  | Writer

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

/** What a file of routes receives to register its routes. */
export interface Server {
  readonly app: App
  /** The base URL for clients, used in the commands of answers. */
  readonly baseUrl: () => string
  /** Completes when this server begins to stop. Waiting requests are then answered with what they have. */
  readonly stopping: Effect.Effect<void>
  /** Runs a handler and wraps its result in the envelope. */
  readonly answer: (
    request: FastifyRequest,
    reply: FastifyReply,
    handler: Effect.Effect<Success, HandlerError, HandlerServices>
  ) => Promise<FastifyReply>
  /** Runs a handler whose result is sent as it is. */
  readonly run: <A>(reply: FastifyReply, handler: Effect.Effect<A, HandlerError, HandlerServices>) => Promise<A>
}

export type Routes = (server: Server) => void

declare module "fastify" {
  interface FastifyRequest {
    /** Set on every route under /v1 that needs a runtime key. */
    principal: Principal
    /** Set on every route of the account plane. */
    account: AccountPrincipal
  }
  interface FastifyContextConfig {
    /** Needs no bearer. */
    readonly public?: boolean
    /** For public routes: requests are not counted per address. For probes, Telegram, and pictures that pages show. */
    readonly uncounted?: boolean
    /** Never requested by browsers: answers have no headers for them, except errors with a body. */
    readonly machine?: boolean
    /** On the account plane: requires an account token with this scope instead of a runtime key. Null: any scope. */
    readonly account?: Scope | null
    /** Open to demo keys. All other routes are closed to them. */
    readonly demo?: boolean
    /** The resource in the path. If it does not exist, 404 takes precedence over 422 for a bad body. */
    readonly exists?: Exists
    /** The error for a body over the route's own limit. */
    readonly tooLarge?: ApiError
    /** The same for a demo key, if its own limit is lower. */
    readonly tooLargeForDemo?: ApiError
    /** The accepted kinds of body. Default: JSON. */
    readonly accepts?: Accepted
    /** Receives its body unparsed (UnreadBody) and parses it on another thread. */
    readonly readsBody?: boolean
    /** Continues if the caller disconnects, because its effect must not be interrupted halfway. */
    readonly writes?: boolean
  }
}
