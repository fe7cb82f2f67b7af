import * as Data from "effect/Data"

/**
 * A file that is not imported: it is too large, its content does not match its type, or its type is unknown. It has no
 * schema, because each thread that reads a body would load what makes schemas: ten times as many modules as it needs.
 */
export class ImportRefused extends Data.TaggedError("ImportRefused")<{
  readonly reason: "too_large" | "unreadable" | "unsupported"
  readonly problem: string
}> {
  override get message() {
    return this.problem
  }
}

export const tooLarge = (problem: string) => new ImportRefused({ reason: "too_large", problem })
export const unreadable = (problem: string) => new ImportRefused({ reason: "unreadable", problem })
export const unsupported = (problem: string) => new ImportRefused({ reason: "unsupported", problem })
