import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { lookup, Resolver } from "node:dns/promises"

/** The name has no address, or the look-up timed out. */
export class Unresolved extends Data.TaggedError("Unresolved")<{ readonly host: string }> {}

/** The addresses of a name, at least one. `excepted`: the operator has allowed this host. */
export type LookUpName = (host: string, excepted: boolean) => Effect.Effect<ReadonlyArray<string>, Unresolved>

const TRY_MS = 1_500

/**
 * Asks the name servers directly. A name from a tenant must not resolve to this machine's own names, nor occupy the few
 * threads of getaddrinfo(3).
 */
const askNameServers = Effect.fnUntraced(function* (host: string) {
  const resolver = new Resolver({ timeout: TRY_MS, tries: 2 })
  const families = yield* Effect.promise(() =>
    Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  ).pipe(Effect.onInterrupt(() => Effect.sync(() => resolver.cancel())))
  const addresses = families.flatMap((family) => (family.status === "fulfilled" ? family.value : []))
  return addresses.length > 0 ? addresses : yield* new Unresolved({ host })
})

/** Asks the operating system, which also knows the hosts file, search domains and so on. */
const askSystem = (host: string) =>
  Effect.tryPromise({ try: () => lookup(host, { all: true }), catch: () => new Unresolved({ host }) }).pipe(
    Effect.map((found) => found.map(({ address }) => address))
  )

/** How names are resolved. */
export const LookUp = Context.Reference<LookUpName>("channels/outbound/LookUp", {
  defaultValue: () => (host, excepted) => (excepted ? askSystem(host) : askNameServers(host))
})
