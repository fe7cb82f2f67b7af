import type { ChatMember, Message } from "@grammyjs/types"
import type { Bot } from "../Bot.ts"
import { Group, type Membership, type Person } from "../ChatState.ts"
import type { World } from "../World.ts"

const ADMINISTRATOR = {
  can_be_edited: false,
  is_anonymous: false,
  can_manage_chat: true,
  can_delete_messages: true,
  can_manage_video_chats: true,
  can_restrict_members: true,
  can_promote_members: false,
  can_change_info: true,
  can_invite_users: true,
  can_post_stories: false,
  can_edit_stories: false,
  can_delete_stories: false,
  can_pin_messages: true,
  can_send_welcome_messages: false
}
const MUTED = {
  is_member: true,
  can_send_messages: false,
  can_send_audios: false,
  can_send_documents: false,
  can_send_photos: false,
  can_send_videos: false,
  can_send_video_notes: false,
  can_send_voice_notes: false,
  can_send_polls: false,
  can_send_other_messages: false,
  can_add_web_page_previews: false,
  can_react_to_messages: false,
  can_change_info: false,
  can_invite_users: false,
  can_edit_tag: false,
  can_pin_messages: false,
  can_manage_topics: false,
  until_date: 0
}

const memberAs = (bot: Bot, membership: Membership): ChatMember => {
  const { user } = bot
  switch (membership) {
    case "administrator":
      return { status: "administrator", user, ...ADMINISTRATOR }
    case "muted":
      return { status: "restricted", user, ...MUTED }
    case "kicked":
      return { status: "kicked", user, until_date: 0 }
    default:
      return { status: membership, user }
  }
}

/** Actions on groups. */
export const groupControl = (world: World) => {
  const tell = (group: Group, by: Person, content: Partial<Message>): void => {
    const message = {
      ...group.add({ from: by.user, date: world.clock.seconds(), ...content }),
      chat: group.chat,
      from: by.user
    }
    for (const bot of group.bots.keys()) {
      if (group.isMember(bot)) world.push(bot, "message", message, `message:${group.id}`)
    }
    world.changed()
  }

  const set = (group: Group, by: Person, bot: Bot, membership: Membership): void => {
    const old = group.bots.get(bot) ?? "left"
    group.bots.set(bot, membership)
    world.push(
      bot,
      "my_chat_member",
      {
        chat: group.chat,
        from: by.user,
        date: world.clock.seconds(),
        old_chat_member: memberAs(bot, old),
        new_chat_member: memberAs(bot, membership)
      },
      `my_chat_member:${group.id}`
    )
    world.changed()
  }

  return {
    /** Creates a group of people, without bots. */
    createGroup: (
      people: ReadonlyArray<Person>,
      options: {
        readonly type?: "group" | "supergroup"
        readonly title?: string
        readonly username?: string
        readonly isForum?: boolean
      } = {}
    ): Group => {
      const group = world.addGroup({ type: "group", title: "Fake group", ...options })
      for (const person of people) group.people.set(person.id, person)
      return group
    },

    addBot: (group: Group, by: Person, bot: Bot): void => {
      if (!bot.me.can_join_groups) throw new Error(`${bot.username} may not join groups`)
      set(group, by, bot, "member")
      tell(group, by, { new_chat_members: [bot.user] })
    },

    /** Makes the bot an administrator, mutes it, kicks it, or makes it leave. */
    setMembership: set,

    join: (group: Group, person: Person): void => {
      group.people.set(person.id, person)
      tell(group, person, { new_chat_members: [person.user] })
    },

    leave: (group: Group, person: Person): void => {
      group.people.delete(person.id)
      tell(group, person, { left_chat_member: person.user })
    },

    /** Upgrades a group to a supergroup: a new chat, with a service message on both sides. */
    upgrade: (group: Group, by: Person): Group => {
      const supergroup = world.addGroup({ type: "supergroup", title: group.title })
      for (const person of group.people.values()) supergroup.people.set(person.id, person)
      for (const [bot, membership] of group.bots) supergroup.bots.set(bot, membership)
      tell(group, by, { migrate_to_chat_id: supergroup.id })
      group.migratedTo = supergroup
      tell(supergroup, by, { migrate_from_chat_id: group.id })
      return supergroup
    },

    deleteGroup: (group: Group): void => {
      group.isDeleted = true
      world.changed()
    },

    /** Returns the thread's id. */
    createTopic: (group: Group, by: Person, name: string): number => {
      const message = group.add({
        from: by.user,
        date: world.clock.seconds(),
        forum_topic_created: { name, icon_color: 7_322_096 }
      })
      group.topics.set(message.message_id, { name, isClosed: false })
      return message.message_id
    },

    closeTopic: (group: Group, thread: number): void => {
      const topic = group.topics.get(thread)
      if (topic !== undefined) topic.isClosed = true
    },

    deleteTopic: (group: Group, thread: number): void => {
      group.topics.delete(thread)
    }
  }
}
