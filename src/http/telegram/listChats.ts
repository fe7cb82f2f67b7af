import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { type ChatAddress, ChatRows } from "#src/db/telegram/ChatRows.ts"
import { validationError } from "#src/http/server/errors.ts"
import { cursorKey, page } from "#src/http/server/listing.ts"
import { chatKey } from "./botResource.ts"
import { findBot } from "./telegramBot.ts"

const readAddress = (key: string | null): ChatAddress | null | undefined => {
  if (key === null) return null
  const [, chat = "", thread = ""] = /^(-?\d{1,16})_(\d{1,16})$/.exec(key) ?? []
  return chat === "" ? undefined : { chatId: Number(chat), threadId: Number(thread) }
}

/** A page of the chats of the bot in a path. */
export const listChats = Effect.fnUntraced(function* (
  request: FastifyRequest,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number }
) {
  const after = readAddress(yield* cursorKey(cursor))
  if (after === undefined) return yield* validationError("query.cursor: Must be a cursor of this list")
  const bot = yield* findBot(request)
  const rows = yield* ChatRows.use((chats) => chats.list(bot.app_id, bot.channel_id, { after, limit: limit + 1 }))
  return page(rows, limit, chatKey)
})
