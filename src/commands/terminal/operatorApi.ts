import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as check from "#src/settings/checks.ts"
import { connectAs, type ServerFlags } from "./api.ts"

const env = Config.all({
  TROUPE_OPERATOR_TOKEN: Config.option(Config.Redacted("TROUPE_OPERATOR_TOKEN")),
  ADMIN_TOKEN: Config.option(Config.Redacted("ADMIN_TOKEN")),
  TROUPE_URL: Config.option(Config.String("TROUPE_URL"))
})

const missing = new check.BadSetting({
  setting: "TROUPE_OPERATOR_TOKEN",
  problem: "must be set to an operator token (op_...), or ADMIN_TOKEN to the server's"
})

/** The token comes from the environment, where other users cannot see it. Null: there is none. */
const givenToken = Effect.map(env, ({ TROUPE_OPERATOR_TOKEN: own, ADMIN_TOKEN: server }) => {
  const [token, name] =
    check.givenSecret(own) === null
      ? [check.givenSecret(server), "ADMIN_TOKEN"]
      : [check.givenSecret(own), "TROUPE_OPERATOR_TOKEN"]
  return token === null ? null : { token, name }
})

/** The server as an operator sees it. */
export const connectOperator = Effect.fnUntraced(function* (flags: Pick<ServerFlags, "url">) {
  const given = yield* givenToken
  if (given === null) return yield* missing
  return yield* connectAs(flags.url, given.token, given.name)
})

/**
 * The same for a command that only looks. On the server's machine it needs no token: someone who can reach the database
 * may look.
 */
export const connectViewer = Effect.fnUntraced(function* (flags: Pick<ServerFlags, "url">) {
  const given = yield* givenToken
  if (given !== null) return yield* connectAs(flags.url, given.token, given.name)
  // A token of this machine's database is of no use to another server, which must not get to see it.
  if (flags.url !== undefined || check.given((yield* env).TROUPE_URL) !== null) return yield* missing
  const { viewLocally } = yield* Effect.promise(() => import("./viewLocally.ts"))
  return (yield* viewLocally) ?? (yield* missing)
})
