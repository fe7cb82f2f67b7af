import * as Schema from "effect/Schema"

/** A change was based on a version that is not the current one. */
export class VersionConflict extends Schema.TaggedError<VersionConflict>()("VersionConflict", {
  current: Schema.Int
}) {}
