import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { isIP } from "node:net"
import { buildConnector } from "undici"
import { type AllowList, allowsHost } from "./AllowList.ts"
import { type LookUpName, Unresolved } from "./LookUp.ts"
import { ownAddresses, permits, target } from "./Target.ts"

/** No address of the host may be connected to. */
export class BlockedAddress extends Data.TaggedError("BlockedAddress") {}

/** Time limit for the look-up, the connection and the TLS handshake together. */
const CONNECT_MS = 5_000

/**
 * A connector that only connects to addresses it has checked. It resolves the name itself and passes exactly the
 * accepted addresses to the socket, so that the name cannot resolve to another address a moment later. A `lookup` hook
 * alone is not called for literal addresses.
 */
export const guard =
  (allow: AllowList, lookUp: LookUpName, context: Context.Context<never>): buildConnector.connector =>
  (options, callback) => {
    const to = target(options.hostname, options.port, options.protocol)
    const addressesOf = Effect.gen(function* () {
      const began = yield* Clock.currentTimeMillis
      const excepted = allowsHost(allow, to.host, to.port)
      const found = (excepted ? null : ownAddresses(to.host)) ?? (yield* lookUp(to.host, excepted))
      const addresses = found
        .filter((address) => permits(allow, to, address))
        .map((address) => ({ address, family: isIP(address) }))
      if (addresses.length === 0) return yield* new BlockedAddress()
      return { addresses, leftMs: Math.max(1, CONNECT_MS - ((yield* Clock.currentTimeMillis) - began)) }
    }).pipe(
      Effect.timeoutOrElse({ duration: CONNECT_MS, orElse: () => Effect.fail(new Unresolved({ host: to.host })) })
    )
    Effect.runForkWith(context)(
      Effect.match(addressesOf, {
        onFailure: (error) => callback(error, null),
        onSuccess: ({ addresses, leftMs }) => {
          const connect = buildConnector({
            timeout: leftMs,
            allowH2: false,
            lookup: (_host, { all }, answer) =>
              all === true ? answer(null, addresses) : answer(null, addresses[0]?.address ?? "", addresses[0]?.family)
          })
          connect({ ...options, hostname: to.host, ...(isIP(to.host) === 0 && { servername: to.host }) }, callback)
        }
      })
    )
  }
