import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Agent } from "undici"
import type { AllowList } from "./AllowList.ts"
import { checkUrl, readUrl, type UrlRejected } from "./checkUrl.ts"
import { exchange, type OutboundAnswer, OutboundError } from "./exchange.ts"
import { guard } from "./guard.ts"
import { LookUp } from "./LookUp.ts"

export interface OutboundRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** For everything, from the look-up to the last byte that is read; 15 seconds when not given. */
  readonly totalTimeout?: Duration.Input
  /** How much of the answer's body is read; 8 KiB when not given. */
  readonly keepBytes?: number
}

const TOTAL_TIMEOUT = "15 seconds"
const KEEP_BYTES = 8 * 1024
/** A server that wants its connection kept for longer is not heard. */
const LONGEST_KEEP_ALIVE_MS = 10_000

export const postBy = (agent: Agent) =>
  Effect.fnUntraced(function* ({
    url: text,
    headers,
    body,
    totalTimeout = TOTAL_TIMEOUT,
    keepBytes = KEEP_BYTES
  }: OutboundRequest) {
    const { url } = yield* readUrl(text).pipe(
      Effect.mapError(() => new OutboundError({ reason: "blocked_address", sent: false }))
    )
    return yield* exchange(agent, { url, headers, body, totalTimeout, keepBytes })
  })

/**
 * Calls to addresses that a tenant chose (delivery.md 5): https to public addresses only, without redirects, whatever
 * the name, its spelling or its name server says; `OUTBOUND_ALLOW` lists the exceptions.
 */
export class Outbound extends Context.Service<
  Outbound,
  {
    /**
     * Whether such a URL may be kept, with a `fix` for the caller when not. It says nothing about tomorrow: `post`
     * checks what it dials.
     */
    readonly checkUrl: (url: string) => Effect.Effect<URL, UrlRejected>
    /**
     * Posts once. Any status is an answer, a redirect too; whatever comes after it (a body that drips, breaks off or
     * never ends) does not undo it.
     */
    readonly post: (request: OutboundRequest) => Effect.Effect<OutboundAnswer, OutboundError>
  }
>()("channels/outbound/Outbound") {
  static readonly layer = (options: { readonly allow: AllowList }) =>
    Layer.effect(
      Outbound,
      Effect.gen(function* () {
        const lookUp = yield* LookUp
        const context = yield* Effect.context<never>()
        const agent = yield* Effect.acquireRelease(
          Effect.sync(
            () =>
              new Agent({ connect: guard(options.allow, lookUp, context), keepAliveMaxTimeout: LONGEST_KEEP_ALIVE_MS })
          ),
          (agent) => Effect.promise(() => agent.destroy())
        )
        return Outbound.of({
          checkUrl: checkUrl(options.allow, lookUp),
          post: postBy(agent)
        })
      })
    )
}
