import { build, clockTime, icon } from "./build.js"
import { richText } from "./entities.js"
import { routeOf } from "./links.js"

const size = (bytes = 0) =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1_048_576
      ? `${Math.round(bytes / 1024)} KB`
      : `${(bytes / 1_048_576).toFixed(1)} MB`

const address = (chat, fileId) => `file?${new URLSearchParams({ bot: chat.card.id, id: fileId })}`

const attachment = (chat, label, file, symbol = "file") =>
  build(
    "a",
    { class: "file", href: address(chat, file.file_id), download: file.file_name ?? label },
    build("span", { class: "icon" }, icon(symbol)),
    build("span", {}, file.file_name ?? label, build("small", {}, size(file.file_size)))
  )

const media = (message, chat) => {
  if (message.photo)
    return build("img", { alt: message.caption ?? "Photo", src: address(chat, message.photo.at(-1).file_id) })
  if (message.sticker) return build("div", { class: "sticker" }, message.sticker.emoji ?? "🖼️")
  if (message.voice) return attachment(chat, "Voice message", message.voice, "voice")
  const kind = ["document", "video", "audio", "animation", "video_note"].find((name) => message[name])
  return kind && attachment(chat, kind.replace("_", " "), message[kind])
}

const richPlain = (value) =>
  Array.isArray(value)
    ? value.map(richPlain).join("\n")
    : typeof value === "object" && value !== null
      ? richPlain(value.text ?? value.blocks ?? value.items ?? "")
      : String(value)

export const quoteText = (message) => message.text ?? message.caption ?? (message.photo ? "Photo" : "Message")

const words = (message) => {
  if (message.text !== undefined) return richText(message.text, message.entities)
  if (message.caption !== undefined) return richText(message.caption, message.caption_entities)
  return message.rich_message && richText(richPlain(message.rich_message.blocks))
}

const key = (button, message, acts) =>
  build(
    "button",
    {
      type: "button",
      onclick: () => {
        if (button.url) {
          const inside = routeOf(button.url)
          if (inside === undefined) window.open(button.url, "_blank", "noopener")
          else location.hash = inside
        } else acts.press(message, button.text)
      }
    },
    button.text
  )

export const serviceText = (message) => {
  const name = message.from?.first_name ?? ""
  if (message.new_chat_members)
    return `${name} added ${message.new_chat_members.map((user) => user.first_name).join(", ")}`
  if (message.left_chat_member) return `${message.left_chat_member.first_name} left`
  if (message.migrate_to_chat_id || message.migrate_from_chat_id) return "The group became a supergroup"
  if (message.forum_topic_created) return `Topic “${message.forum_topic_created.name}” was made`
  return undefined
}

/** One bubble with what belongs to it. The first of a sender keeps its distance. */
export const bubble = ({ message, reactions }, chat, me, isFirst, acts) => {
  const isMine = message.from?.id === me.id
  const sender =
    chat.card.kind === "group" &&
    !isMine &&
    isFirst &&
    build("span", { class: "sender" }, message.from?.first_name ?? "")
  const replied =
    message.reply_to_message &&
    build(
      "div",
      { class: "quote" },
      build("b", {}, message.reply_to_message.from?.first_name ?? ""),
      build("span", {}, message.quote?.text ?? quoteText(message.reply_to_message))
    )
  const time = build(
    "time",
    { class: "meta", datetime: new Date(message.date * 1000).toISOString() },
    message.edit_date ? `edited ${clockTime(message.date)}` : clockTime(message.date)
  )
  const keys = message.reply_markup?.inline_keyboard
  return build(
    "div",
    { class: `message ${isMine ? "mine" : "theirs"}${isFirst ? " first" : ""}`, "data-id": message.message_id },
    build(
      "div",
      { class: "line-up" },
      build("div", { class: "bubble" }, sender, replied, media(message, chat), words(message), time),
      build(
        "button",
        { type: "button", class: "reply", "aria-label": "Reply", onclick: () => acts.reply(message) },
        icon("reply")
      )
    ),
    keys &&
      build(
        "div",
        { class: "keys" },
        keys.map((row) =>
          build(
            "div",
            { class: "row" },
            row.map((button) => key(button, message, acts))
          )
        )
      ),
    reactions.length > 0 &&
      build(
        "span",
        { class: "reactions", role: "img", "aria-label": `Reactions: ${reactions.join(" ")}` },
        reactions.join(" ")
      )
  )
}
