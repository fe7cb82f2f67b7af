import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Agent } from "undici"
import { readUrl } from "./checkUrl.ts"
import { Outbound, sendBy } from "./Outbound.ts"

/**
 * Calls any URL, also on this machine and its network. Only for a URL that a person types on their own command line,
 * where a local address is the purpose and everything could be reached by that person anyway. Never for a URL from the
 * network.
 */
export const unguarded = Layer.effect(
  Outbound,
  Effect.gen(function* () {
    const agent = yield* Effect.acquireRelease(
      Effect.sync(() => new Agent()),
      (agent) => Effect.promise(() => agent.destroy())
    )
    return Outbound.of({ checkUrl: (text) => Effect.map(readUrl(text), ({ url }) => url), send: sendBy(agent) })
  })
)
