import * as Redacted from "effect/Redacted"

/** The part of a bot's token that may be shown: the bot's id and the last four characters. */
export const tokenHint = (token: Redacted.Redacted<string>): string => {
  const [id = "", secret = ""] = Redacted.value(token).split(":")
  return `${id}:...${secret.slice(-4)}`
}
