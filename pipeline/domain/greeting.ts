import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const Bubbles = Schema.Array(Schema.String)
const Authored = Schema.Struct({
  mode: Schema.optionalKey(Schema.Literals(["authored", "none"])),
  bubbles: Schema.optionalKey(Bubbles),
  alternates: Schema.optionalKey(Schema.Array(Schema.Union([Schema.String, Bubbles])))
})
const Profile = Schema.Struct({ greeting: Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.String, Authored]))) })
const decode = Schema.decodeUnknownOption(Profile)

const fromText = (text: string): ReadonlyArray<string> =>
  text
    .split(/\n{2,}/)
    .map((part) => part.trim())
    .filter((part) => part !== "")

/** Every way in which the character opens a session. Empty if no greeting is authored. */
export const greetingsOf = (profile: object): ReadonlyArray<ReadonlyArray<string>> => {
  const greeting = Option.getOrUndefined(decode(profile))?.greeting
  if (greeting === undefined || greeting === null) return []
  if (typeof greeting === "string") return [fromText(greeting)].filter((way) => way.length > 0)
  if (greeting.mode === "none") return []
  return [
    greeting.bubbles ?? [],
    ...(greeting.alternates ?? []).map((way) => (typeof way === "string" ? fromText(way) : way))
  ].filter((way) => way.length > 0)
}

const picked = (ways: ReadonlyArray<ReadonlyArray<string>>, pick: number) => ways[pick % Math.max(ways.length, 1)] ?? []

/** The bubbles that open a session. Empty if no greeting is authored. `pick` chooses among the alternates. */
export const greetingBubbles = (profile: object, pick: number): ReadonlyArray<string> =>
  picked(greetingsOf(profile), pick)

/** The same with `fill` applied, and without a greeting whose text is `last`. */
export const nextGreeting = (
  profile: object,
  pick: number,
  fill: (bubble: string) => string,
  last: string | null
): ReadonlyArray<string> =>
  picked(
    greetingsOf(profile)
      .map((way) => way.map(fill))
      .filter((way) => way.join("\n") !== last),
    pick
  )
