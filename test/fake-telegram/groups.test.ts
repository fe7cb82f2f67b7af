import { afterEach, assert, beforeEach, describe, it } from "vitest"
import type { Group } from "../support/telegram/ChatState.ts"
import { startWithMia } from "./harness.ts"

let fake: Awaited<ReturnType<typeof startWithMia>>
let group: Group

beforeEach(async () => {
  fake = await startWithMia()
  const { bot, mia, telegram } = fake
  group = telegram.createGroup([mia], { title: "Garden" })
  telegram.addBot(group, mia, bot)
})
afterEach(() => fake.telegram.close())

const heard = () =>
  fake.telegram
    .pendingUpdates(fake.bot)
    .flatMap(({ message }) => (message?.chat.id === group.id && message.text !== undefined ? [message.text] : []))
const hi = (chat_id: number | string = group.id) => ({ chat_id, text: "hi" })

describe("a group", () => {
  it("notifies a bot that it was added", () => {
    const updates = fake.telegram.pendingUpdates(fake.bot)
    assert.deepInclude(
      updates.find(({ my_chat_member }) => my_chat_member !== undefined)?.my_chat_member?.new_chat_member,
      { status: "member" }
    )
    assert.deepStrictEqual(
      updates.at(-1)?.message?.new_chat_members?.map(({ username }) => username),
      ["ada_bot"]
    )
  })

  it("shows a bot in privacy mode only commands, mentions and replies to it", async () => {
    const { bot, mia, result, telegram } = fake
    const mine = await result("sendMessage", hi())
    const others = telegram.say(mia, group, "what a day")
    for (const text of ["/help", "/help@ada_bot", "/help@other_bot", "hello @Ada_bot"]) telegram.say(mia, group, text)
    telegram.say(mia, group, "to you", { replyTo: mine })
    telegram.say(mia, group, "to myself", { replyTo: others })
    assert.deepStrictEqual(heard(), ["/help", "/help@ada_bot", "hello @Ada_bot", "to you"])
    telegram.setMembership(group, mia, bot, "administrator")
    telegram.say(mia, group, "now you hear all")
    assert.include(heard(), "now you hear all")
  })

  it("refuses a bot that is not a member or may not write, with Telegram's description", async () => {
    const { bot, mia, refusal, telegram } = fake
    const supergroup = telegram.createGroup([mia], { type: "supergroup", username: "garden" })
    telegram.addBot(supergroup, mia, bot)
    const cases = [
      [group, "kicked", "403 Forbidden: bot was kicked from the group chat"],
      [group, "left", "403 Forbidden: bot is not a member of the group chat"],
      [supergroup, "kicked", "403 Forbidden: bot was kicked from the supergroup chat"],
      [supergroup, "left", "403 Forbidden: bot is not a member of the supergroup chat"],
      [supergroup, "muted", "400 Bad Request: not enough rights to send text messages to the chat"]
    ] as const
    for (const [place, membership, words] of cases) {
      telegram.setMembership(place, mia, bot, membership)
      assert.strictEqual(await refusal("sendMessage", hi(place.id)), words)
    }
    assert.strictEqual(
      await refusal("sendMessage", hi("@garden")),
      "400 Bad Request: not enough rights to send text messages to the chat"
    )
    telegram.setMembership(group, mia, bot, "member")
    telegram.deleteGroup(group)
    assert.strictEqual(await refusal("sendMessage", hi()), "403 Forbidden: the group chat was deleted")
  })

  it("gets a new id when it becomes a supergroup", async () => {
    const { bot, call, mia, result, telegram } = fake
    const supergroup = telegram.upgrade(group, mia)
    assert.deepInclude((await call("sendMessage", hi())).body, {
      error_code: 400,
      description: "Bad Request: group chat was upgraded to a supergroup chat",
      parameters: { migrate_to_chat_id: supergroup.id }
    })
    const moves = telegram
      .pendingUpdates(bot)
      .map(({ message }) => [message?.chat.id, message?.migrate_to_chat_id ?? message?.migrate_from_chat_id])
    assert.deepStrictEqual(moves.slice(-2), [
      [group.id, supergroup.id],
      [supergroup.id, group.id]
    ])
    assert.strictEqual((await result("sendMessage", hi(supergroup.id))).chat.type, "supergroup")
    assert.match(String(supergroup.id), /^-100\d{10}$/)
  })

  it("reports reactions to administrators that have asked for them", () => {
    const { bot, mia, telegram } = fake
    bot.client.allowedUpdates = new Set(["message", "message_reaction"])
    const message = telegram.say(mia, group, "/help")
    telegram.react(mia, group, message, [{ type: "emoji", emoji: "👍" }])
    telegram.setMembership(group, mia, bot, "administrator")
    telegram.react(mia, group, message, [])
    const reactions = telegram.pendingUpdates(bot).flatMap((update) => update.message_reaction ?? [])
    assert.deepStrictEqual(
      reactions.map(({ new_reaction, old_reaction }) => [old_reaction.length, new_reaction.length]),
      [[1, 0]]
    )
  })

  it("has topics if it is a forum", async () => {
    const { bot, mia, refusal, result, telegram } = fake
    const forum = telegram.createGroup([mia], { type: "supergroup", isForum: true })
    telegram.addBot(forum, mia, bot)
    const thread = telegram.createTopic(forum, mia, "Roses")
    const inTopic = { ...hi(forum.id), message_thread_id: thread }
    assert.deepInclude(await result("sendMessage", inTopic), { message_thread_id: thread, is_topic_message: true })
    telegram.closeTopic(forum, thread)
    assert.strictEqual(await refusal("sendMessage", inTopic), "400 Bad Request: TOPIC_CLOSED")
    telegram.deleteTopic(forum, thread)
    assert.strictEqual(await refusal("sendMessage", inTopic), "400 Bad Request: message thread not found")
    const made = await result("createForumTopic", { chat_id: forum.id, name: "Lilies" })
    assert.strictEqual(
      (await result("sendMessage", { ...hi(forum.id), message_thread_id: made.message_thread_id })).message_thread_id,
      made.message_thread_id
    )
    assert.strictEqual(
      await refusal("createForumTopic", { chat_id: mia.id, name: "Lilies" }),
      "400 Bad Request: the chat is not a forum"
    )
  })
})
