import type { Message } from "@grammyjs/types"
import { randomInt } from "node:crypto"
import { type MediaFacts, type MediaKind, mediaContent } from "../media.ts"
import type { Call, Methods } from "../Method.ts"
import { badRequest } from "../Refusal.ts"
import { readCaption } from "../readText.ts"
import { readFile } from "../readFile.ts"
import { destination, send } from "../send.ts"
import { Parameters } from "../Parameters.ts"

const LARGEST_ALBUM = 10
const LARGEST_DOWNLOAD = 20 * 1_048_576

const captionFields = (parameters: Parameters): Pick<Message, "caption" | "caption_entities"> => {
  const caption = readCaption(parameters)
  return caption === undefined
    ? {}
    : { caption: caption.text, ...(caption.entities.length > 0 && { caption_entities: [...caption.entities] }) }
}

const factsOf = (parameters: Parameters): MediaFacts => {
  const duration = parameters.integer("duration")
  const emoji = parameters.text("emoji")
  return { ...(duration > 0 && { duration }), ...(emoji !== "" && { emoji }) }
}

/** A method that sends one file. The caller's type determines the field of the message. */
const sendOne =
  <M>(kind: MediaKind) =>
  (call: Call): M => {
    const { bot, parameters, world } = call
    const to = destination(call)
    const file = readFile(call, kind, kind, parameters.text(kind))
    const content = mediaContent(world.files, bot, kind, file, factsOf(parameters))
    const spoiler = parameters.boolean("has_spoiler") ? { has_media_spoiler: true as const } : {}
    return send(call, to, { ...content, ...captionFields(parameters), ...spoiler }) as M
  }

interface AlbumItem {
  readonly type: MediaKind
  readonly media: string
}

const albumItem = (call: Call, item: AlbumItem, groupId: string) => {
  if (!["photo", "video", "audio", "document"].includes(item.type))
    throw badRequest("can't use the media of the specified type in the album")
  const parameters = new Parameters()
  parameters.addJson(item)
  const file = readFile(call, item.type, "", item.media)
  return {
    ...mediaContent(call.world.files, call.bot, item.type, file, factsOf(parameters)),
    ...captionFields(parameters),
    media_group_id: groupId
  }
}

type Media =
  | "sendPhoto"
  | "sendVoice"
  | "sendAudio"
  | "sendDocument"
  | "sendVideo"
  | "sendAnimation"
  | "sendVideoNote"
  | "sendSticker"
  | "sendMediaGroup"
  | "getFile"

export const media: Methods<Media> = {
  sendPhoto: sendOne("photo"),
  sendVoice: sendOne("voice"),
  sendAudio: sendOne("audio"),
  sendDocument: sendOne("document"),
  sendVideo: sendOne("video"),
  sendAnimation: sendOne("animation"),
  sendVideoNote: sendOne("video_note"),
  sendSticker: sendOne("sticker"),

  sendMediaGroup: (call) => {
    const to = destination(call)
    const items = call.parameters.json<ReadonlyArray<AlbumItem>>("media") ?? []
    if (items.length === 0) throw badRequest("there are no messages to send")
    if (items.length > LARGEST_ALBUM) throw badRequest("too many messages to send as an album")
    const groupId = String(randomInt(1e12, 1e14))
    const contents = items.map((item) => albumItem(call, item, groupId))
    return contents.map((content) => send(call, to, content)) as ReturnType<Methods<"sendMediaGroup">["sendMediaGroup"]>
  },

  getFile: ({ bot, parameters, world }) => {
    const id = parameters.text("file_id")
    if (id === "") throw badRequest("file_id not specified")
    const file = world.files.find(bot, id)
    if (file === undefined) throw badRequest("invalid file_id")
    if (file.size > LARGEST_DOWNLOAD) throw badRequest("file is too big")
    return { file_id: id, file_unique_id: file.uniqueId, file_size: file.size, file_path: file.path }
  }
}
