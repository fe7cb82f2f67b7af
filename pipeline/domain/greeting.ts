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

type Fill = (text: string) => string

const filledBubbles = (bubbles: ReadonlyArray<string>, fill: Fill): ReadonlyArray<string> =>
  bubbles.map(fill).filter((bubble) => bubble.trim() !== "")

/**
 * Every way in which the character opens a session, with `fill` applied. Empty if no greeting is authored. A text is
 * filled before it is parted, as a macro may go over several paragraphs.
 */
export const greetingsOf = (profile: object, fill: Fill = (text) => text): ReadonlyArray<ReadonlyArray<string>> => {
  const greeting = Option.getOrUndefined(decode(profile))?.greeting
  if (greeting === undefined || greeting === null) return []
  if (typeof greeting === "string") return [fromText(fill(greeting))].filter((way) => way.length > 0)
  if (greeting.mode === "none") return []
  return [
    filledBubbles(greeting.bubbles ?? [], fill),
    ...(greeting.alternates ?? []).map((way) =>
      typeof way === "string" ? fromText(fill(way)) : filledBubbles(way, fill)
    )
  ].filter((way) => way.length > 0)
}

const picked = (ways: ReadonlyArray<ReadonlyArray<string>>, pick: number) => ways[pick % Math.max(ways.length, 1)] ?? []

/** The bubbles that open a session. Empty if no greeting is authored. `pick` chooses among the alternates. */
export const greetingBubbles = (profile: object, pick: number): ReadonlyArray<string> =>
  picked(greetingsOf(profile), pick)

/** The same with `fill` applied, and without a greeting whose text is `last`. */
export const nextGreeting = (profile: object, pick: number, fill: Fill, last: string | null): ReadonlyArray<string> =>
  picked(
    greetingsOf(profile, fill).filter((way) => way.join("\n") !== last),
    pick
  )
