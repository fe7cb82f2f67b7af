import * as Effect from "effect/Effect"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import type { EditRefused } from "#src/db/memory/RelationshipEdits.ts"
import { memoryForgotten, personOptedOut, pinnedLimitReached } from "./memoryErrors.ts"
import type { ApiError } from "#src/http/server/ApiError.ts"

/** An edit of a character's memory, with refusals as error responses. `gone` is the error for a missing item. */
export const mapEditErrors = <A, R>(
  edit: Effect.Effect<A, EditRefused | DatabaseError, R>,
  gone: ApiError
): Effect.Effect<A, ApiError | DatabaseError, R> =>
  Effect.catchTag(edit, "EditRefused", ({ reason }) => {
    switch (reason) {
      case "gone":
        return Effect.fail(gone)
      case "forgotten":
        return Effect.fail(memoryForgotten)
      case "too_many_pinned":
        return Effect.fail(pinnedLimitReached.about("body.pinned"))
      case "opted_out":
        return Effect.fail(personOptedOut.about("body.opted_out"))
    }
  })
