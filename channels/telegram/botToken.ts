import * as Redacted from "effect/Redacted"

const FORM = /^(\d{3,15}):[A-Za-z0-9_-]{30,100}$/

/** Whether a text has the form of a bot's token, as @BotFather gives it. */
export const isBotToken = (text: string): boolean => FORM.test(text)

/** The id of the bot that the token belongs to. */
export const userIdOf = (token: Redacted.Redacted<string>): number =>
  Number(FORM.exec(Redacted.value(token))?.[1] ?? Number.NaN)
