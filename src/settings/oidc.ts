import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import { LOOPBACK } from "#src/accounts/isOnlyHere.ts"
import * as check from "./checks.ts"

const env = Config.all({
  OIDC_ISSUER: Config.option(Config.String("OIDC_ISSUER")),
  OIDC_CLIENT_ID: Config.option(Config.String("OIDC_CLIENT_ID")),
  OIDC_CLIENT_SECRET: Config.option(Config.Redacted("OIDC_CLIENT_SECRET"))
})

/** Over http, anybody on the way could answer for the issuer, and so sign in as anybody. */
const isSafe = (issuer: string): boolean => {
  const { protocol, hostname } = new URL(issuer)
  return protocol === "https:" || LOOPBACK.has(hostname)
}

/** The identity provider that people sign in with. Null: the development sign-in. */
export const readOidc = Effect.gen(function* () {
  const e = yield* env
  const issuer = yield* check.optionalUrl("OIDC_ISSUER", e.OIDC_ISSUER)
  if (issuer !== null && !isSafe(issuer))
    return yield* new check.BadSetting({
      setting: "OIDC_ISSUER",
      problem: "must be an https:// address. Over http://, only localhost, 127.0.0.1 and [::1] are allowed"
    })
  const clientId = check.given(e.OIDC_CLIENT_ID)
  const clientSecret = check.givenSecret(e.OIDC_CLIENT_SECRET)
  if (issuer === null && clientId === null && clientSecret === null) return null
  const missing = (setting: string) =>
    new check.BadSetting({
      setting,
      problem: "must be set too: OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET belong together"
    })
  if (issuer === null) return yield* missing("OIDC_ISSUER")
  if (clientId === null) return yield* missing("OIDC_CLIENT_ID")
  if (clientSecret === null) return yield* missing("OIDC_CLIENT_SECRET")
  return { url: issuer, clientId, clientSecret }
})
