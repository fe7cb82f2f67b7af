import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as check from "#src/settings/checks.ts"
import { connectAs, type ServerFlags } from "./api.ts"

const env = Config.all({
  TROUPE_OPERATOR_TOKEN: Config.option(Config.Redacted("TROUPE_OPERATOR_TOKEN")),
  ADMIN_TOKEN: Config.option(Config.Redacted("ADMIN_TOKEN"))
})

/** The server as an operator sees it. The token comes from the environment, where other users cannot see it. */
export const connectOperator = Effect.fnUntraced(function* (flags: Pick<ServerFlags, "url">) {
  const given = yield* env
  const token = check.givenSecret(given.TROUPE_OPERATOR_TOKEN) ?? check.givenSecret(given.ADMIN_TOKEN)
  const name = check.givenSecret(given.TROUPE_OPERATOR_TOKEN) === null ? "ADMIN_TOKEN" : "TROUPE_OPERATOR_TOKEN"
  if (token === null)
    return yield* new check.BadSetting({
      setting: "TROUPE_OPERATOR_TOKEN",
      problem: "must be set to an operator token (op_...), or ADMIN_TOKEN to the server's"
    })
  return yield* connectAs(flags.url, token, name)
})
