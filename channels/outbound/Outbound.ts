import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Agent } from "undici"
import type { AllowList } from "./AllowList.ts"
import { checkUrl, readUrl, type UrlRejected } from "./checkUrl.ts"
import { type Exchange, exchange, type OutboundAnswer, OutboundError } from "./exchange.ts"
import { guard } from "./guard.ts"
import { LookUp } from "./LookUp.ts"

export interface OutboundRequest {
  /** Default: POST. */
  readonly method?: Exchange["method"]
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** From the look-up to the last byte read. Default: 15 seconds. */
  readonly totalTimeout?: Duration.Input
  /** From the status to the last byte read. Default: `totalTimeout`. */
  readonly bodyTimeout?: Duration.Input
  /** How much of the answer's body is read. Default: 8 KiB. */
  readonly keepBytes?: number
}

const TOTAL_TIMEOUT = "15 seconds"
const KEEP_BYTES = 8 * 1024
/** A longer keep-alive that a server requests is ignored. */
const LONGEST_KEEP_ALIVE_MS = 10_000

export const sendBy = (agent: Agent) =>
  Effect.fnUntraced(function* ({
    method = "POST",
    url: text,
    headers,
    body,
    totalTimeout = TOTAL_TIMEOUT,
    bodyTimeout = totalTimeout,
    keepBytes = KEEP_BYTES
  }: OutboundRequest) {
    const { url } = yield* readUrl(text).pipe(
      Effect.mapError(() => new OutboundError({ reason: "blocked_address", sent: false }))
    )
    return yield* exchange(agent, { method, url, headers, body, totalTimeout, bodyTimeout, keepBytes })
  })

/**
 * Calls to URLs that a tenant chose (delivery.md 5): only https to public addresses, without redirects, regardless of
 * the name, its spelling or its name server. `OUTBOUND_ALLOW` lists the exceptions.
 */
export class Outbound extends Context.Service<
  Outbound,
  {
    /**
     * Whether such a URL may be stored, with a `fix` for the caller if not. This is no guarantee for later: `send`
     * checks the address that it connects to.
     */
    readonly checkUrl: (url: string) => Effect.Effect<URL, UrlRejected>
    /**
     * Sends one request. Any status is an answer, also a redirect. What happens to the body afterwards (slow, cut off,
     * endless) does not change that.
     */
    readonly send: (request: OutboundRequest) => Effect.Effect<OutboundAnswer, OutboundError>
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
          send: sendBy(agent)
        })
      })
    )
}
