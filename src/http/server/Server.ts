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
import type * as Layer from "effect/Layer"
import type { ChannelKind } from "#channels/ChannelKind.ts"
import type { AccountPrincipal } from "#src/accounts/AccountAuthentication.ts"
import type { Principal } from "#src/accounts/Authentication.ts"
import type { Operator } from "#src/accounts/Operator.ts"
import type { StreamToken } from "#src/accounts/StreamTokens.ts"
import type { ApiError } from "./ApiError.ts"
import type { Accepted } from "./body/requireReadable.ts"
import type { HandlerError } from "./bridge.ts"
import type { Success } from "./envelope.ts"
import type { Credential } from "./Credential.ts"
import type { Cost } from "./limits/Cost.ts"
import type { Exists } from "./resourceExists.ts"

/** The layers that provide what handlers use, by names of their own: src/composition adds them. */
export interface HandlerLayers {}

/** The services that handlers may use. */
export type HandlerServices = Layer.Success<HandlerLayers[keyof HandlerLayers]>

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
  /** The kinds of push channel that this server knows. */
  readonly channelKinds: ReadonlyArray<ChannelKind>
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
    /** Set if the request came with a stream token instead of a key. */
    streamToken?: StreamToken
    /** Set on every route of the account plane. */
    account: AccountPrincipal
    /** Set on every route of operators. */
    operator: Operator
  }
  interface FastifyContextConfig {
    /** The credential that it takes. Default: a runtime key. */
    readonly auth?: Credential
    /** A stream token for the session in the path is accepted instead of a runtime key. */
    readonly streamToken?: boolean
    /** What a request takes from limits and budgets. Default: one request. */
    readonly cost?: Cost
    /** Never requested by browsers: answers have no headers for them, except errors with a body. */
    readonly machine?: boolean
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
