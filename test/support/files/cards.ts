import { deflateSync } from "node:zlib"
import sharp from "sharp"
import { ZipFile } from "yazl"

/** A card of version 2 with these fields. */
export const cardV2 = (data: Record<string, unknown> = {}) => ({
  spec: "chara_card_v2",
  spec_version: "2.0",
  data: {
    name: "Mara",
    description: "Mara keeps an inn at the river.\n\nShe has seen every kind of guest.",
    personality: "dry, patient, kind",
    scenario: "A rainy evening at the inn.",
    first_mes: "Evening.\n\nSit down, the soup is hot.",
    mes_example: "<START>\n{{user}}: Are you open?\n{{char}}: For you? Always.",
    creator_notes: "",
    system_prompt: "",
    post_history_instructions: "",
    alternate_greetings: [],
    tags: [],
    creator: "",
    character_version: "",
    extensions: {},
    ...data
  }
})
export const cardV3 = (data: Record<string, unknown> = {}) => {
  const { data: v2 } = cardV2()
  return { spec: "chara_card_v3", spec_version: "3.0", data: { ...v2, group_only_greetings: [], ...data } }
}

export const base64 = (value: unknown): string =>
  (Buffer.isBuffer(value) ? value : Buffer.from(typeof value === "string" ? value : JSON.stringify(value))).toString(
    "base64"
  )

/** A PNG chunk with an invalid checksum. */
export const chunk = (type: string, data: Buffer, length = data.length): Buffer => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(length)
  head.write(type, 4, "latin1")
  return Buffer.concat([head, data, Buffer.alloc(4)])
}
export const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1")
export const text = (keyword: string, said: string): Buffer =>
  chunk("tEXt", Buffer.from(`${keyword}\0${said}`, "latin1"))
export const compressedText = (keyword: string, said: string | Buffer): Buffer =>
  chunk("zTXt", Buffer.concat([Buffer.from(`${keyword}\0\0`, "latin1"), deflateSync(said)]))
export const internationalText = (keyword: string, said: string, isCompressed = false): Buffer =>
  chunk(
    "iTXt",
    Buffer.concat([
      Buffer.from(`${keyword}\0${isCompressed ? "\x01" : "\0"}\0en\0${keyword}\0`, "latin1"),
      isCompressed ? deflateSync(said) : Buffer.from(said)
    ])
  )

/** A picture of one colour. */
export const picture = (format: "png" | "jpeg" | "webp" = "png", width = 8, height = 8): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: "#446688" } })
    .toFormat(format)
    .toBuffer()

/** A picture with these chunks after its header. */
export const pngWith = async (...chunks: ReadonlyArray<Buffer>): Promise<Buffer> => {
  const png = await picture()
  const behindHeader = 8 + 25
  return Buffer.concat([png.subarray(0, behindHeader), ...chunks, png.subarray(behindHeader)])
}

export const zipOf = async (
  entries: Readonly<Record<string, unknown>>,
  options: { readonly compress?: boolean } = {}
): Promise<Buffer> => {
  const zip = new ZipFile()
  for (const [path, content] of Object.entries(entries))
    zip.addBuffer(
      Buffer.isBuffer(content) ? content : Buffer.from(typeof content === "string" ? content : JSON.stringify(content)),
      path,
      { compress: options.compress ?? true, mtime: new Date(0), mode: 0o644 }
    )
  zip.end()
  const parts: Array<Buffer> = []
  for await (const part of zip.outputStream) parts.push(part as Buffer)
  return Buffer.concat(parts)
}
