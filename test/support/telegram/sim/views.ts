import type { Message } from "@grammyjs/types"
import type { Bot } from "../Bot.ts"
import { DirectChat, Group, type Person, type ChatState } from "../ChatState.ts"
import type { World } from "../World.ts"

const summary = (message: Message | undefined) =>
  message === undefined
    ? null
    : {
        date: message.date,
        from: message.from?.first_name ?? "",
        fromId: message.from?.id ?? 0,
        text: message.text ?? message.caption ?? (message.rich_message === undefined ? "" : "Message"),
        kind:
          ["photo", "voice", "video", "document", "sticker", "audio", "animation", "video_note"].find(
            (kind) => kind in message
          ) ?? null
      }

const activityIn = (world: World, chatState: ChatState | undefined): string | null => {
  const nowMs = world.clock.nowMs()
  return [...(chatState?.activities.values() ?? [])].find(({ untilMs }) => untilMs > nowMs)?.action ?? null
}

const botCard = (world: World, person: Person, bot: Bot) => {
  const direct = world.direct(bot, person.id)
  const owner = world.people.get(bot.management?.ownerId ?? 0)
  return {
    kind: "bot",
    id: bot.id,
    title: bot.user.first_name,
    username: bot.username,
    photo: bot.profile.photo?.path ?? null,
    owner: owner === undefined ? null : { id: owner.id, name: owner.user.first_name },
    isStarted: direct !== undefined,
    isBlocked: direct?.isBlocked ?? false,
    activity: activityIn(world, direct),
    last: summary([...(direct?.messages.values() ?? [])].at(-1))
  }
}

const groupCard = (world: World, group: Group) => ({
  kind: "group",
  id: group.id,
  title: group.title,
  username: null,
  photo: null,
  owner: null,
  isStarted: true,
  isBlocked: false,
  activity: activityIn(world, group),
  last: summary([...group.messages.values()].at(-1))
})

/** The list of chats, latest message first. */
export const listView = (world: World, person: Person) => {
  const groups = [...world.groups.values()].filter(
    (group) => group.people.has(person.id) && group.migratedTo === undefined
  )
  const chats = [
    ...[...world.bots.values()].map((bot) => botCard(world, person, bot)),
    ...groups.map((group) => groupCard(world, group))
  ]
  return {
    me: person.user,
    people: [...world.people.values()].map(({ user }) => user),
    chats: chats.sort((one, other) => (other.last?.date ?? 0) - (one.last?.date ?? 0))
  }
}

/** One chat as the phone shows it. */
export const chatView = (world: World, person: Person, spot: Bot | Group) => {
  const isGroup = spot instanceof Group
  const chatState = isGroup ? spot : world.direct(spot, person.id)
  const draft = chatState instanceof DirectChat ? chatState.drafts.get(chatState.bot.id) : undefined
  const reactions = (message: Message) =>
    [...(chatState?.reactions.get(message.message_id)?.values() ?? [])]
      .flat()
      .flatMap((reaction) => (reaction.type === "emoji" ? [reaction.emoji] : []))
  return {
    card: isGroup ? groupCard(world, spot) : botCard(world, person, spot),
    others: [...world.people.values()]
      .filter((other) => other !== person)
      .map(({ user }) => ({ id: user.id, name: user.first_name })),
    description: isGroup ? "" : (spot.profile.descriptions.get("") ?? ""),
    commands: isGroup ? [] : ([...spot.profile.commands.values()].at(0) ?? []),
    messages: [...(chatState?.messages.values() ?? [])].map((message) => ({ message, reactions: reactions(message) })),
    draft:
      draft !== undefined && draft.untilMs > world.clock.nowMs() ? { text: draft.text, canStop: draft.canStop } : null,
    keyboard: chatState?.keyboard?.keyboard ?? null
  }
}
