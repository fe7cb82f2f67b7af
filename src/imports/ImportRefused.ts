import * as Schema from "effect/Schema"

/** A file that is not imported: it is too large, its content does not match its type, or its type is unknown. */
export class ImportRefused extends Schema.TaggedError<ImportRefused>()("ImportRefused", {
  reason: Schema.Literals(["too_large", "unreadable", "unsupported"]),
  problem: Schema.String
}) {
  override get message() {
    return this.problem
  }
}

export const tooLarge = (problem: string) => new ImportRefused({ reason: "too_large", problem })
export const unreadable = (problem: string) => new ImportRefused({ reason: "unreadable", problem })
export const unsupported = (problem: string) => new ImportRefused({ reason: "unsupported", problem })
