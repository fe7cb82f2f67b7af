import * as Schema from "effect/Schema"

/** The user gave an invalid argument to a command. */
export class BadArgument extends Schema.TaggedError<BadArgument>()("BadArgument", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}
