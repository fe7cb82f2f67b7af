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
import type { Scope } from "#src/accounts/scopes.ts"
import type { ApiError } from "./ApiError.ts"
import type { Accepted } from "./body/requireReadable.ts"
import type { HandlerError } from "./bridge.ts"
import type { Success } from "./envelope.ts"
import type { Exists } from "./existence.ts"

/** The layers that provide what handlers use, by names of their own: src/composition adds them. */
export interface HandlerLayers {}

/** What handlers may use. */
export type HandlerServices = Layer.Success<HandlerLayers[keyof HandlerLayers]>

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

/** What a file of routes is given to hang its routes on. */
export interface Server {
  readonly app: App
  /** Where clients reach this server, for the commands in answers. */
  readonly baseUrl: () => string
  /** The kinds of push channel that this server knows. */
  readonly channelKinds: ReadonlyArray<ChannelKind>
  /** Is done when this server begins to stop: what waits is then answered as it stands. */
  readonly stopping: Effect.Effect<void>
  /** Runs a handler and wraps what it answers in the envelope. */
  readonly answer: (
    request: FastifyRequest,
    reply: FastifyReply,
    handler: Effect.Effect<Success, HandlerError, HandlerServices>
  ) => Promise<FastifyReply>
  /** Runs a handler whose answer is sent as it is. */
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
    /**
     * The credential that it takes: a runtime key, which is the default; an account token with this scope (null: with
     * any); or none.
     */
    readonly auth?: "app" | { readonly account: Scope | null } | "none"
    /**
     * Of a route without a credential: requests of an address are not counted. For probes, for Telegram and for
     * pictures that pages show.
     */
    readonly uncounted?: boolean
    /** No browser ever asks for it: its answers have no headers for one, unless they are errors with words. */
    readonly machine?: boolean
    /** Open to demo keys; what does not say so is closed to them. */
    readonly demo?: boolean
    /** The resource in the path whose absence (404) comes before a bad body (422). */
    readonly exists?: Exists
    /** What a body over the route's own limit is answered with. */
    readonly tooLarge?: ApiError
    /** The same under a demo key, where its own limit is the narrower one. */
    readonly tooLargeForDemo?: ApiError
    /** What kinds of body the route reads. Default: JSON. */
    readonly accepts?: Accepted
    /** Takes its body as it came (UnreadBody), and has it read on another thread. */
    readonly readsBody?: boolean
    /** Goes on when the caller leaves: its effect must not be cut in half. */
    readonly writes?: boolean
  }
}
