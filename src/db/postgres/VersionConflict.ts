import * as Schema from "effect/Schema"

/** A change was meant for another version than the present one. */
export class VersionConflict extends Schema.TaggedError<VersionConflict>()("VersionConflict", {
  current: Schema.Int
}) {}
