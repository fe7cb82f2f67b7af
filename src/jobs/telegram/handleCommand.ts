import * as Effect from "effect/Effect"
import { helpIn } from "#channels/telegram/commands.ts"
import { readCommand } from "#channels/telegram/readMessage.ts"
import type { Message } from "#channels/telegram/Update.ts"
import { OwnTexts } from "#pipeline/texts/OwnTexts.ts"
import { fillText } from "#pipeline/texts/ServiceTexts.ts"
import { textsFor } from "#pipeline/texts/textsFor.ts"
import { Characters } from "#src/db/character/Characters.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { BotLinks } from "#src/db/telegram/BotLinks.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { ChatSessions } from "#src/db/telegram/ChatSessions.ts"
import type { ChatOpening, OpenedChat } from "#src/db/telegram/conversations/ChatOpening.ts"
import { ForgetRequests } from "#src/db/telegram/ForgetRequests.ts"
import { type Batch, Updates } from "#src/db/telegram/Updates.ts"
import { chatOpeningOf } from "./chatOpeningOf.ts"
import { markChatReachable } from "./markChatReachable.ts"

/** The characters that Telegram allows in links, and that our own links use. */
const PAYLOAD = /^[\w-]{1,64}$/
const LINK_CODE = /^[\w-]{32}$/

/**
 * Handles commands without a model. The answers go on the log, and reach the chat through its lane like everything
 * else. The effect of a command and its completion are one transaction. If a worker dies, nothing has happened, and the
 * next one repeats all of it.
 */
export const handleCommand = Effect.fnUntraced(function* (bot: StoredBot, batch: Batch, message: Message) {
  const command = readCommand(message, { userId: bot.user_id ?? 0, username: bot.username ?? "" })
  const [{ transaction }, chats, updates] = [yield* Database, yield* ChatSessions, yield* Updates]
  const once = <E, R>(effect: Effect.Effect<void, E, R>) =>
    Effect.flatMap(updates.done(batch), (isFirst) => (isFirst ? effect : Effect.void)).pipe(transaction)
  if (command === null) return yield* Effect.asVoid(updates.done(batch))
  yield* markChatReachable(bot, message.chat.id, batch[0].update_id)
  const { appId, channelId, chatId, threadId, language } = chatOpeningOf(bot, message, "keep")
  const tags = yield* chats.languages({ appId, channelId, chatId, threadId }, language)
  const texts = textsFor(tags, yield* OwnTexts)
  const key = `tg:${bot.channel_id}:${batch[0].update_id}`
  const say = ({ sessionId }: OpenedChat, text: string, kind: string = command.name) =>
    chats.notify(bot.app_id, sessionId, { key, kind, text })
  const meet = (
    session: ChatOpening["session"],
    more: Partial<Pick<ChatOpening, "externalUserRef" | "startPayload">> = {}
  ) => chats.open({ ...chatOpeningOf(bot, message, session), ...more })

  /** A new session has its greeting on the log. If no greeting is authored, a line says who the character is. */
  const greet = Effect.fnUntraced(function* (met: OpenedChat, otherwise: string) {
    if (!met.created) return yield* say(met, otherwise)
    if (met.spoken) return
    const character = yield* Characters.use((characters) => characters.get(bot.app_id, bot.character_slug))
    yield* say(met, fillText(texts.greeting, { name: String(character?.profile["display_name"] ?? bot.username) }))
  })

  const start = Effect.gen(function* () {
    if (command.argument === "") return yield* greet(yield* meet("renew"), texts.already_talking)
    // A group is not a single end-user of the app. The code stays valid for one person.
    if (message.chat.type !== "private" && LINK_CODE.test(command.argument))
      return yield* say(yield* meet("renew"), texts.link_private)
    const ref = yield* BotLinks.use((links) => links.use(bot.app_id, bot.channel_id, command.argument))
    if (ref !== undefined) return yield* greet(yield* meet("join", { externalUserRef: ref }), texts.linked)
    // A payload in the form of our link codes is an expired link. Any other payload belongs to the app.
    if (LINK_CODE.test(command.argument)) return yield* say(yield* meet("renew"), texts.link_spent)
    yield* greet(
      yield* meet("renew", { startPayload: PAYLOAD.test(command.argument) ? command.argument : null }),
      texts.already_talking
    )
  })

  const forget = Effect.gen(function* () {
    const chat = chatOpeningOf(bot, message, "keep")
    const met = yield* meet("keep")
    yield* once(
      Effect.gen(function* () {
        const isForgotten = yield* ForgetRequests.use((forgetting) => forgetting.ask(chat))
        yield* isForgotten
          ? chats.reply(chat, { key, kind: command.name, text: texts.forgotten })
          : say(met, texts.forget_confirm)
      })
    )
  })

  /** Opens with a greeting only if the character has another one than the person had last. */
  const reset = Effect.flatMap(meet("new"), (met) => (met.spoken ? Effect.void : say(met, texts.new_conversation)))

  const stop = Effect.gen(function* () {
    const met = yield* meet("keep")
    yield* chats.optOutOfProactive(bot.app_id, met.sessionId)
    yield* say(met, texts.stopped)
  })
  const help = Effect.flatMap(meet("keep"), (met) => say(met, helpIn(texts), "help"))

  switch (command.name) {
    case "start":
      yield* once(start)
      break
    case "reset":
      yield* once(reset)
      break
    case "stop":
      yield* once(stop)
      break
    case "forget":
      // A person cannot delete what others said in a group.
      yield* message.chat.type === "private" ? forget : once(help)
      break
    default:
      // In a group, an unknown command is for another bot unless it names this one.
      yield* once(message.chat.type !== "private" && command.name !== "help" && !command.named ? Effect.void : help)
  }
})
