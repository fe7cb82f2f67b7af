import type postgres from "postgres"
import type { FakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import type { Bubble, ChatRecord } from "./telegramVerdict.ts"

export type FakeBot = ReturnType<FakeTelegram["createBot"]>

export interface Talk {
  readonly bot: FakeBot
  readonly person: ReturnType<FakeTelegram["createUser"]>
  readonly group: ReturnType<FakeTelegram["createGroup"]> | null
  readonly chatId: number
  readonly said: Array<string>
}

/** What a person is told at most once an hour if a turn has lost its process so often that it is given up. */
export const APOLOGY = "The soup has burnt. Ask me again."
export const BUBBLES_PER_REPLY = 3

interface BubbleRow {
  readonly channel_id: string
  readonly chat_id: string
  readonly type: string
  readonly role: string
  readonly text: string
  readonly outcomes: ReadonlyArray<string>
}

/** The log and the attempts come from the database, the rest from the fake. */
export const recordsOf = async (
  sql: postgres.Sql,
  telegram: FakeTelegram,
  talks: ReadonlyArray<Talk>,
  idOf: ReadonlyMap<FakeBot, string>
): Promise<ReadonlyArray<ChatRecord>> => {
  const rows = await sql<Array<BubbleRow>>`
    select c.channel_id, c.chat_id::text, e.type, e.role, b.text,
      array(select a.outcome from delivery_attempts a where a.session_id = e.session_id and a.channel_id = c.channel_id
        and a.cursor = e.cursor and a.part = b.n - 1) as outcomes
    from telegram_chats c join events e on e.app_id = c.app_id and e.session_id = c.session_id
    cross join lateral json_array_elements_text(case when e.type = 'message.failed'
      then json_build_array(${APOLOGY}::text) else e.payload -> 'bubbles' end) with ordinality b(text, n)
    where e.type in ('message.created', 'character.initiated')
      or e.type = 'message.failed' and e.cursor = (select min(f.cursor) from events f where f.app_id = e.app_id
        and f.session_id = e.session_id and f.type = 'message.failed')
    order by e.cursor, b.n`
  const byChat = Map.groupBy(rows, (row) => `${row.channel_id} ${row.chat_id}`)
  return talks.map(({ bot, person, group, chatId, said }) => {
    const own = byChat.get(`${idOf.get(bot)} ${chatId}`) ?? []
    const transcript = group === null ? telegram.transcript(bot, person) : telegram.transcript(group)
    return {
      said,
      heard: own.flatMap(({ role, text }) => (role === "user" ? [text.replace(/^Guest \d+: /, "")] : [])),
      bubbles: own.flatMap(({ type, role, text, outcomes }): ReadonlyArray<Bubble> =>
        role === "user" ? [] : [{ text, outcomes, greets: type === "character.initiated" }]
      ),
      shown: transcript.flatMap((message) => (message.from?.id === bot.id ? [message.text ?? ""] : [])),
      calls: telegram.calls({ bot, chat: chatId, method: "sendMessage" })
    }
  })
}
