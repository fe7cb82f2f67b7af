import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Delivery } from "./Channel.ts"

const decodeSpoken = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({ role: Schema.String, payload: Schema.Struct({ bubbles: Schema.Array(Schema.String) }) })
  )
)

/** The bubbles that the character says in an event, for a messenger that shows only those. */
export const bubblesOf = ({ type, event }: Delivery): ReadonlyArray<string> => {
  if (type !== "message.created" && type !== "character.initiated") return []
  const spoken = Option.getOrUndefined(decodeSpoken(event))
  return spoken?.role === "character" ? spoken.payload.bubbles : []
}
