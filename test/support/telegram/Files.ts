import { randomBytes } from "node:crypto"
import type { Bot } from "./Bot.ts"

/** The metadata of a file. A test may claim a size without having as many bytes. */
export interface FileFacts {
  readonly name: string
  readonly type: string
  readonly size: number
}

export interface StoredFile extends FileFacts {
  readonly uniqueId: string
  readonly path: string
  readonly bytes: Buffer
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  photos: "jpg",
  voice: "oga",
  stickers: "webp",
  videos: "mp4",
  video_notes: "mp4",
  animations: "mp4",
  music: "mp3"
}

/** Files in memory. A `file_id` is valid for one bot only. */
export class Files {
  readonly #files = new Map<string, StoredFile>()
  readonly #paths = new Map<string, StoredFile>()

  add(folder: string, bytes: Buffer, facts: Partial<FileFacts>): StoredFile {
    const uniqueId = randomBytes(9).toString("base64url")
    const extension = facts.name?.match(/\.(\w{1,8})$/)?.[1] ?? EXTENSIONS[folder] ?? "bin"
    const file = {
      uniqueId,
      path: `${folder}/file_${this.#files.size}.${extension}`,
      bytes,
      name: facts.name ?? "",
      type: facts.type ?? "",
      size: facts.size ?? bytes.length
    }
    this.#files.set(uniqueId, file)
    this.#paths.set(file.path, file)
    return file
  }

  idFor(bot: Bot, { uniqueId }: StoredFile): string {
    return `AgAC${Buffer.from(`${bot.id}.${uniqueId}`).toString("base64url")}`
  }

  find(bot: Bot, fileId: string): StoredFile | undefined {
    const [botId, uniqueId] = Buffer.from(fileId.slice(4), "base64url").toString("utf8").split(".")
    return botId === String(bot.id) ? this.#files.get(uniqueId ?? "") : undefined
  }

  /** Deletes the content of the file. Its metadata stays. */
  lose(file: StoredFile): void {
    this.#paths.delete(file.path)
  }

  at(path: string): StoredFile | undefined {
    return this.#paths.get(path)
  }
}
