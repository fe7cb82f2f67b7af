import * as Effect from "effect/Effect"
import * as z from "zod"
import { validationError } from "./errors.ts"

/** `cursor` and `limit` of every list. The cursor is opaque: it names the last item that was seen. */
export const listQuery = {
  cursor: z.string().max(400).optional().describe("next_cursor of the page before"),
  limit: z.coerce.number().int().min(1).max(100).default(25)
}

const notOfThisList = validationError("query.cursor: is not a cursor of this list")
const encode = (key: string) => Buffer.from(key, "utf8").toString("base64url")

/** The key that a cursor stands for; null at the start of a list. */
export const cursorKey = (cursor: string | undefined) => {
  if (cursor === undefined || cursor === "") return Effect.succeed(null)
  const key = Buffer.from(cursor, "base64url").toString("utf8")
  return encode(key) === cursor && /^[\w-]+$/.test(key) ? Effect.succeed(key) : Effect.fail(notOfThisList)
}

/** The same for a list whose key is a number. */
export const numberCursorKey = (cursor: string | undefined) =>
  Effect.flatMap(cursorKey(cursor), (key) =>
    key === null || /^\d{1,9}$/.test(key)
      ? Effect.succeed(key === null ? null : Number(key))
      : Effect.fail(notOfThisList)
  )

/** The same for a list that knows its own places. */
export const placeCursorKey = (cursor: string | undefined, isPlace: (key: string) => boolean) =>
  Effect.flatMap(cursorKey(cursor), (key) =>
    key === null || isPlace(key) ? Effect.succeed(key) : Effect.fail(notOfThisList)
  )

/** The cursor for a place of such a list; null at its end. */
export const nextCursor = (place: string | null): string | null => (place === null ? null : encode(place))

/** Cuts one item more than a page down to the page, and says where the next one begins. */
export const page = <A>(
  items: ReadonlyArray<A>,
  limit: number,
  keyOf: (item: A) => string
): { readonly items: ReadonlyArray<A>; readonly next_cursor: string | null } => {
  const last = items.length > limit ? items[limit - 1] : undefined
  return { items: items.slice(0, limit), next_cursor: last === undefined ? null : encode(keyOf(last)) }
}
