import * as Redacted from "effect/Redacted"

/** What of a bot's token may be shown: whose it is, and its last four characters. */
export const tokenHint = (token: Redacted.Redacted<string>): string => {
  const [id = "", secret = ""] = Redacted.value(token).split(":")
  return `${id}:...${secret.slice(-4)}`
}
