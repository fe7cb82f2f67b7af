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

/** The bubbles that open a session. Empty if no greeting is authored. `pick` chooses among the alternates. */
export const greetingBubbles = (profile: object, pick: number): ReadonlyArray<string> => {
  const greeting = Option.getOrUndefined(decode(profile))?.greeting
  if (greeting === undefined || greeting === null) return []
  if (typeof greeting === "string") return fromText(greeting)
  if (greeting.mode === "none") return []
  const ways = [
    greeting.bubbles ?? [],
    ...(greeting.alternates ?? []).map((way) => (typeof way === "string" ? fromText(way) : way))
  ].filter((way) => way.length > 0)
  return ways[pick % Math.max(ways.length, 1)] ?? []
}
