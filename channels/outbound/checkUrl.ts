import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type AllowList, allowsHost } from "./AllowList.ts"
import type { LookUpName } from "./LookUp.ts"
import { isPublic, ownAddresses, permits, type Target, target } from "./Target.ts"

/**
 * A URL that a tenant may not make us call. `unparsable`: not a URL with a host. `scheme`: not https. `userinfo`:
 * contains a user or password. `address`: resolves to an address that is not public.
 */
export class UrlRejected extends Schema.TaggedError<UrlRejected>()("UrlRejected", {
  reason: Schema.Literals(["unparsable", "scheme", "userinfo", "address"])
}) {
  override get message() {
    return MESSAGES[this.reason]
  }
  /** What the caller can do about it. */
  get fix() {
    return FIXES[this.reason]
  }
}

const MESSAGES = {
  unparsable: "This is not a valid URL.",
  scheme: "Only https URLs are accepted.",
  userinfo: "The URL must not contain a user or a password.",
  address: "The host of this URL has an address that is not public."
}
const OPERATOR = "The operator of this server can allow hosts and networks with OUTBOUND_ALLOW."
const FIXES = {
  unparsable: "Use an absolute URL such as https://example.com/hooks.",
  scheme: `Use an https URL. ${OPERATOR}`,
  userinfo: "Remove the part before the @.",
  address: `Use a URL whose host has a public address. ${OPERATOR}`
}

const LOOK_UP_WITHIN = "2 seconds"

/** The part of the check without a look-up. */
export const readUrl = (text: string): Effect.Effect<{ readonly url: URL; readonly to: Target }, UrlRejected> => {
  const url = URL.parse(text)
  if (url === null || url.hostname === "") return Effect.fail(new UrlRejected({ reason: "unparsable" }))
  if (url.protocol !== "https:" && url.protocol !== "http:") return Effect.fail(new UrlRejected({ reason: "scheme" }))
  if (url.username !== "" || url.password !== "") return Effect.fail(new UrlRejected({ reason: "userinfo" }))
  return Effect.succeed({ url, to: target(url.hostname, url.port, url.protocol) })
}

/**
 * Refuses early what would be refused later. A name that does not resolve yet passes, because the check of the actual
 * connection is what counts.
 */
export const checkUrl = (allow: AllowList, lookUp: LookUpName) =>
  Effect.fn("Outbound.checkUrl")(function* (text: string) {
    const { url, to } = yield* readUrl(text)
    if (allowsHost(allow, to.host, to.port)) return url
    const addresses =
      ownAddresses(to.host) ??
      (yield* lookUp(to.host, false).pipe(
        Effect.timeout(LOOK_UP_WITHIN),
        Effect.orElseSucceed(() => [])
      ))
    if (addresses.some((address) => permits(allow, to, address))) return url
    if (addresses.some((address) => !isPublic(address))) return yield* new UrlRejected({ reason: "address" })
    return to.secure ? url : yield* new UrlRejected({ reason: "scheme" })
  })
