import * as Schema from "effect/Schema"

/** The caller of a command gave something it cannot use. */
export class BadArgument extends Schema.TaggedError<BadArgument>()("BadArgument", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}
