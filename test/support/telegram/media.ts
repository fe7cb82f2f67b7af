import type { Message } from "@grammyjs/types"
import type { Bot } from "./Bot.ts"
import type { Files, StoredFile } from "./Files.ts"

export type MediaKind = "photo" | "voice" | "audio" | "document" | "video" | "animation" | "video_note" | "sticker"

export const FOLDERS: Readonly<Record<MediaKind, string>> = {
  photo: "photos",
  voice: "voice",
  audio: "music",
  document: "documents",
  video: "videos",
  animation: "animations",
  video_note: "video_notes",
  sticker: "stickers"
}

export interface MediaFacts {
  readonly duration?: number
  readonly width?: number
  readonly height?: number
  readonly emoji?: string
}

/** The message fields for a file, with the `file_id` that this bot has for it. */
export const mediaContent = (
  files: Files,
  bot: Bot,
  kind: MediaKind,
  file: StoredFile,
  facts: MediaFacts = {}
): Partial<Message> => {
  const ids = { file_id: files.idFor(bot, file), file_unique_id: file.uniqueId, file_size: file.size }
  const named = {
    ...ids,
    ...(file.name !== "" && { file_name: file.name }),
    ...(file.type !== "" && { mime_type: file.type })
  }
  const { duration = 1, width = 640, height = 480, emoji } = facts
  switch (kind) {
    case "photo":
      return {
        photo: [
          { ...ids, width: 90, height: 90 },
          { ...ids, width: 320, height: 320 },
          { ...ids, width: 800, height: 800 }
        ]
      }
    case "voice":
      return { voice: { ...ids, duration, mime_type: file.type || "audio/ogg" } }
    case "audio":
      return { audio: { ...named, duration } }
    case "document":
      return { document: named }
    case "video":
      return { video: { ...named, width, height, duration } }
    case "animation":
      return { animation: { ...named, width, height, duration }, document: named }
    case "video_note":
      return { video_note: { ...ids, length: 240, duration } }
    case "sticker":
      return {
        sticker: {
          ...ids,
          type: "regular",
          width: 512,
          height: 512,
          is_animated: false,
          is_video: false,
          ...(emoji !== undefined && { emoji })
        }
      }
  }
}
