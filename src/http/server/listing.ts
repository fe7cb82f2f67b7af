import * as Effect from "effect/Effect"
import * as z from "zod"
import type { Listed } from "#src/db/postgres/fittingRows.ts"
import { validationError } from "./errors.ts"
import { wholeInQuery } from "./schemas/number.ts"

/** `cursor` and `limit` of every list. The cursor is opaque and names the last item of the previous page. */
export const listQuery = {
  cursor: z.string().max(400).optional().describe("next_cursor of the previous page"),
  limit: wholeInQuery(1, 100).default(25)
}

const notOfThisList = validationError("query.cursor: Must be a cursor of this list")
const encode = (key: string) => Buffer.from(key, "utf8").toString("base64url")

/** The key in a cursor. Null at the start of a list. */
export const cursorKey = (cursor: string | undefined) => {
  if (cursor === undefined || cursor === "") return Effect.succeed(null)
  const key = Buffer.from(cursor, "base64url").toString("utf8")
  return encode(key) === cursor && /^[\w-]+$/.test(key) ? Effect.succeed(key) : Effect.fail(notOfThisList)
}

/** The same for lists with numeric keys. */
export const numberCursorKey = (cursor: string | undefined) =>
  Effect.flatMap(cursorKey(cursor), (key) =>
    key === null || /^\d{1,9}$/.test(key)
      ? Effect.succeed(key === null ? null : Number(key))
      : Effect.fail(notOfThisList)
  )

/** The same for lists that validate their own positions. */
export const placeCursorKey = (cursor: string | undefined, isPlace: (key: string) => boolean) =>
  Effect.flatMap(cursorKey(cursor), (key) =>
    key === null || isPlace(key) ? Effect.succeed(key) : Effect.fail(notOfThisList)
  )

/** The cursor for a position of such a list. Null at its end. */
export const nextCursor = (position: string | null): string | null => (position === null ? null : encode(position))

interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly next_cursor: string | null
}

/** A page whose rows may be large, and where the next page begins. */
export const listedPage = <A>({ items, more }: Listed<A>, keyOf: (item: A) => string): Page<A> => {
  const last = more ? items.at(-1) : undefined
  return { items, next_cursor: last === undefined ? null : encode(keyOf(last)) }
}

/** Cuts the extra item off a page, and returns where the next page begins. */
export const page = <A>(items: ReadonlyArray<A>, limit: number, keyOf: (item: A) => string): Page<A> => {
  const last = items.length > limit ? items[limit - 1] : undefined
  return { items: items.slice(0, limit), next_cursor: last === undefined ? null : encode(keyOf(last)) }
}
