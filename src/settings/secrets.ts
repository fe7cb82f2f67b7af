import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as check from "./checks.ts"

const env = Config.all({
  SECRETS_KEY: Config.option(Config.Redacted("SECRETS_KEY")),
  SECRETS_KEY_NEW: Config.option(Config.Redacted("SECRETS_KEY_NEW")),
  ADMIN_TOKEN: Config.option(Config.Redacted("ADMIN_TOKEN"))
})

/** The key for secrets at rest, and the new key during a rotation. */
export const readSecrets = Effect.gen(function* () {
  const e = yield* env
  return {
    key: yield* check.key("SECRETS_KEY", e.SECRETS_KEY),
    newKey: yield* check.key("SECRETS_KEY_NEW", e.SECRETS_KEY_NEW)
  }
})

/** The token with which operators call this server. */
export const readAdminToken = Effect.fnUntraced(function* (production: boolean) {
  const e = yield* env
  return yield* check.token(
    "ADMIN_TOKEN",
    e.ADMIN_TOKEN,
    production ? /^[\x21-\x7e]{16,}$/ : /^[\x21-\x7e]+$/,
    `must be ${production ? "16 or more " : ""}visible ASCII characters without a space`
  )
})
