import * as Schema from "effect/Schema"

/** Why an app does not move, and where it is then. The message is one line. */
export class MoveRefused extends Schema.TaggedError<MoveRefused>()("MoveRefused", {
  reason: Schema.Literals(["impossible", "busy", "changed", "elsewhere"]),
  message: Schema.String
}) {}
