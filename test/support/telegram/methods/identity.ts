import type { ChatFullInfo } from "@grammyjs/types"
import type { Methods } from "../Method.ts"
import { DirectChat } from "../ChatState.ts"
import { badRequest, tooManyRequests } from "../Refusal.ts"
import { reach } from "../reach.ts"

const LOGGED_OUT_MS = 600_000
const COLOURS = [7_322_096, 16_766_590, 13_338_331, 9_367_192, 16_749_490, 16_478_047]
const NO_GIFTS = {
  unlimited_gifts: false,
  limited_gifts: false,
  unique_gifts: false,
  premium_subscription: false,
  gifts_from_channels: false
}
const MORE = { accent_color_id: 0, max_reaction_count: 11, accepted_gift_types: NO_GIFTS }

export const identity: Methods<"getMe" | "getChat" | "createForumTopic" | "logOut" | "close"> = {
  getMe: ({ bot }) => bot.me,

  getChat: (call): ChatFullInfo => {
    // The name of a bot counts as taken whether or not its chat can be reached.
    const named = call.world.botNamed(call.parameters.text("chat_id").replace(/^@/, ""))
    if (named !== undefined)
      return { id: named.id, type: "private", first_name: named.user.first_name, username: named.username, ...MORE }
    const chatState = reach(call, "read")
    return { ...chatState.chat, ...MORE } as ChatFullInfo
  },

  createForumTopic: (call) => {
    const { bot, parameters, world } = call
    const chatState = reach(call, "write")
    const name = parameters.text("name").trim()
    if (name === "") throw badRequest("TOPIC_TITLE_EMPTY")
    if (name.length > 128) throw badRequest("TOPIC_TITLE_TOO_LONG")
    if (chatState instanceof DirectChat ? !bot.me.has_topics_enabled : !chatState.isForum)
      throw badRequest("the chat is not a forum")
    const colour = parameters.integer("icon_color", COLOURS[0])
    const message = chatState.add({
      from: bot.user,
      date: world.clock.seconds(),
      is_topic_message: true,
      forum_topic_created: { name, icon_color: colour }
    })
    chatState.topics.set(message.message_id, { name, isClosed: false })
    chatState.messages.set(message.message_id, { ...message, message_thread_id: message.message_id })
    world.changed()
    return { message_thread_id: message.message_id, name, icon_color: colour as 7_322_096 }
  },

  logOut: ({ client, world }) => {
    client.loggedOutUntilMs = world.clock.nowMs() + LOGGED_OUT_MS
    client.dropWebhook()
    return true
  },

  close: ({ client, world }) => {
    const youngForMs = client.createdAtMs + LOGGED_OUT_MS - world.clock.nowMs()
    if (youngForMs > 0) throw tooManyRequests(Math.ceil(youngForMs / 1_000))
    return true
  }
}
