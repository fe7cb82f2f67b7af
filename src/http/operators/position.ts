import * as Effect from "effect/Effect"
import type { Position } from "#src/db/operators/Position.ts"
import { validationError } from "#src/http/server/errors.ts"
import { nextCursor, placeCursorKey } from "#src/http/server/listing.ts"

const POSITION = /^(\d{1,16})-([\w-]{1,100})$/

/** The cursor of a list that is sorted by a number. Null at its start. */
export const positionOf = (cursor: string | undefined) =>
  Effect.map(
    placeCursorKey(cursor, (key) => POSITION.test(key)),
    (key): Position | null => {
      const [, value = "0", id = ""] = key === null ? [] : (POSITION.exec(key) ?? [])
      return key === null ? null : { value: Number(value), id }
    }
  )

/** Cuts the extra row off a page, and returns the cursor of the next one. */
export const sortedPage = <A extends { readonly position: number }>(
  rows: ReadonlyArray<A>,
  limit: number,
  idOf: (row: A) => string
) => {
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return {
    items: rows.slice(0, limit),
    next_cursor: nextCursor(last === undefined ? null : `${last.position}-${idOf(last)}`)
  }
}

/** A comma-separated list of these words in a query. Empty if it is missing. */
export const wordsOf = Effect.fnUntraced(function* <Word extends string>(
  field: string,
  text: string | undefined,
  words: ReadonlyArray<Word>
) {
  if (text === undefined || text === "") return []
  const found = text.split(",").flatMap((given) => words.filter((word) => word === given))
  return found.length === text.split(",").length
    ? found
    : yield* validationError(`query.${field}: Must be one or more of ${words.join(", ")}, separated by commas`)
})
