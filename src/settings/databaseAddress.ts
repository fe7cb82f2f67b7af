import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { serversOf } from "#src/db/postgres/primary.ts"
import * as check from "./checks.ts"

/** The password of every address that has none itself. Null: not given. */
export const databasePassword = Config.option(Config.Redacted("PGPASSWORD")).pipe(Config.map(check.givenSecret))

/** An address in its parts: the scheme, then user, password and servers, then the database, then the parameters. */
const PARTS = /^(postgres(?:ql)?:\/\/)([^/?]*)([^?]*)(.*)$/is
/** A server and its port. */
const SERVER = /^(?:\[[^\]]*\]|[^:[\]]*)(?::\d{1,5})?$/

const NOT_ENCODED =
  "has a user or a password with characters that are not percent-encoded. " +
  "Write / as %2F, ? as %3F, # as %23, @ as %40, % as %25 and a space as %20. " +
  "Or leave the password out, and set PGPASSWORD to it as it is"

const isEncoded = (credentials: string): boolean => {
  try {
    decodeURIComponent(credentials)
    return !/\s/.test(credentials)
  } catch {
    return false
  }
}

/**
 * Whether a user or a password has a character that ends it too early, so that a part of it is read as the server, the
 * database or a parameter. There is then an @ where it does not belong.
 */
const isCutOff = (authority: string, database: string, parameters: string): boolean => {
  const path = `${authority}${database}`
  return (
    authority.split("@").length > 2 ||
    (database.includes("@") && (/@[^@]*\//.test(database) || path.slice(0, path.lastIndexOf("@")).includes(":"))) ||
    parameters.split("&").some((parameter) => /^[^=]*@/.test(parameter)) ||
    (parameters.includes("@") &&
      !authority.includes("@") &&
      (database === "" || !authority.split(",").every((server) => SERVER.test(server))))
  )
}

/**
 * The address of a database, with the password of `PGPASSWORD` if it names a server and no password, so that every
 * connection uses the same one. A password that is not percent-encoded is refused: a part of it would be looked up as
 * the name of a server.
 */
export const databaseAddress = Effect.fnUntraced(function* (
  setting: string,
  address: Redacted.Redacted<string>,
  password: Redacted.Redacted<string> | null
) {
  const text = Redacted.value(address).trim()
  const [, scheme = "", authority = "", database = "", parameters = ""] = PARTS.exec(text) ?? []
  const [hosts = "", credentials = ""] = authority.split("@").toReversed()
  const isClear =
    scheme === "" || !(text.includes("#") || isCutOff(authority, database, parameters) || !isEncoded(credentials))
  yield* check.need(setting, isClear ? text : null, NOT_ENCODED)
  for (const server of serversOf(text)) yield* check.url(setting, server, ["postgres:", "postgresql:"])
  const [user = "", given = ""] = credentials.split(":")
  return password === null || given !== "" || hosts === ""
    ? Redacted.make(text)
    : Redacted.make(`${scheme}${user}:${encodeURIComponent(Redacted.value(password))}@${hosts}${database}${parameters}`)
})
