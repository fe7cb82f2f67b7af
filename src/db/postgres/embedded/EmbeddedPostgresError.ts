import * as Schema from "effect/Schema"

/** The message says what to do, for the person who starts the process. */
export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()("EmbeddedPostgresError", {
  reason: Schema.Literals(["unsupported_platform", "data_dir", "foreign_cluster", "command", "not_starting"]),
  message: Schema.String
}) {}
