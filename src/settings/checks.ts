import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** An invalid setting. Its message is the one line that the operator sees. */
export class BadSetting extends Schema.TaggedError<BadSetting>()("BadSetting", {
  setting: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.setting}: ${this.problem}`
  }
}

/**
 * Returns a valid value, or else fails with what would be valid. No check repeats the value, because it may be a
 * misplaced secret.
 */
export const need = <A>(setting: string, value: A | null, problem: string) =>
  value === null ? Effect.fail(new BadSetting({ setting, problem })) : Effect.succeed(value)

export type Given = Option.Option<string>
type GivenSecret = Option.Option<Redacted.Redacted<string>>

/** Blank counts as not set: compose files pass variables that are not set as empty. */
export const given = (text: Given): string | null => Option.getOrNull(Option.filter(text, (t) => t.trim() !== ""))
export const givenSecret = (secret: GivenSecret): Redacted.Redacted<string> | null =>
  Option.getOrNull(Option.filter(secret, (s) => Redacted.value(s).trim() !== ""))

export const url = (setting: string, text: string, protocols: ReadonlyArray<string>) => {
  const parsed = URL.parse(text)
  return need(
    setting,
    parsed !== null && protocols.includes(parsed.protocol) ? text.replace(/(?<!\/)\/+$/, "") : null,
    `must be a ${protocols.map((p) => `${p}//`).join(" or ")} address`
  )
}
export const optionalUrl = (setting: string, text: Given) => {
  const address = given(text)
  return address === null ? Effect.succeed(null) : url(setting, address, ["http:", "https:"])
}

/**
 * The address that links begin with, as a browser reads it. A path is refused: pages, cookies and the addresses in
 * answers begin at the root of a host.
 */
export const publicUrl = Effect.fnUntraced(function* (setting: string, text: Given) {
  const address = yield* optionalUrl(setting, text)
  if (address === null) return null
  const { username, password, origin, pathname } = new URL(address)
  const isOrigin = username === "" && password === "" && !/[?#]/.test(address) && /^\/+$/.test(pathname)
  const problem =
    "must have no path, no query, no fragment and no password. Give the server a host name of its own, " +
    "such as https://troupe.example.com"
  return yield* need(setting, isOrigin ? origin : null, problem)
})

export const seconds = (setting: string, text: string) => {
  const value = Number(text)
  const fits = text.trim() !== "" && value > 0 && value <= 3600
  return need(setting, fits ? Duration.seconds(value) : null, "must be a number of seconds above 0 and up to 3600")
}

export const whole = (setting: string, text: string, from: number, to: number) =>
  need(
    setting,
    /^\d+$/.test(text) && Number(text) >= from && Number(text) <= to ? Number(text) : null,
    `must be a whole number from ${from} to ${to}`
  )

export const optionalNumber = (setting: string, text: Given, from: number, to: number) => {
  const value = given(text)
  if (value === null) return Effect.succeed(undefined)
  return need(
    setting,
    Number(value) >= from && Number(value) <= to ? Number(value) : null,
    `must be a number from ${from} to ${to}`
  )
}

export const oneOf = <const A extends string>(setting: string, text: string, choices: ReadonlyArray<A>) =>
  need(setting, choices.find((choice) => choice === text) ?? null, `must be one of ${choices.join(", ")}`)

export const listOf = <const A extends string>(setting: string, text: string, choices: ReadonlyArray<A>) => {
  const wanted = new Set(
    text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "")
  )
  const known = choices.filter((choice) => wanted.has(choice))
  return need<ReadonlySet<A>>(
    setting,
    wanted.size > 0 && known.length === wanted.size ? new Set(known) : null,
    `must be a comma-separated list of ${choices.join(", ")}`
  )
}

const PROXIES: ReadonlyMap<string, number> = new Map([
  ["", 0],
  ["false", 0],
  ["true", 1]
])
export const proxies = (setting: string, text: string) =>
  need(
    setting,
    PROXIES.get(text) ?? (/^\d$/.test(text) ? Number(text) : null),
    "must be true, false or the number of proxies, up to 9"
  )

/** A name or a folder: anything except blanks. */
export const named = (setting: string, text: string) =>
  need(setting, text.trim() === "" ? null : text, "must not be empty")

/** 32 bytes in base64, as `openssl rand -base64 32` prints. */
export const key = (setting: string, secret: GivenSecret) => {
  const text = givenSecret(secret)
  if (text === null) return Effect.succeed(null)
  const bytes = Buffer.from(Redacted.value(text), "base64")
  const fits = bytes.length === 32 && bytes.toString("base64") === Redacted.value(text).trim()
  return need(
    setting,
    fits ? Redacted.make(bytes, { label: setting }) : null,
    "must be 32 bytes in base64, as openssl rand -base64 32 prints"
  )
}

/** A token that clients send, so it has to be valid in a header. */
export const token = (setting: string, secret: GivenSecret, form: RegExp, problem: string) => {
  const text = givenSecret(secret)
  return text === null ? Effect.succeed(null) : need(setting, form.test(Redacted.value(text)) ? text : null, problem)
}
