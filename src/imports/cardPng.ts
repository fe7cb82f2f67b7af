import { createHash } from "node:crypto"
import { crc32 } from "node:zlib"
import { loadSharp } from "#src/pictures/loadSharp.ts"
import type { Sharp } from "sharp"
import { MAX_PIXELS } from "./checkImage.ts"
import { embeddedAt } from "./pngTexts.ts"
import type { Fields } from "./readJson.ts"

const WIDTH = 256
const HEIGHT = 384
/** Maximum side of an avatar in a card. */
const LONGEST_SIDE = 1024
/** Size of the PNG signature and the first chunk. Other chunks may follow here. */
const BEHIND_HEADER = 8 + 25

const inBase64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64")

const textChunk = (keyword: string, text: string): Buffer => {
  const content = Buffer.from(`tEXt${keyword}\0${text}`, "latin1")
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length - 4)
  checksum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, checksum])
}

const written = (picture: Sharp): Promise<Buffer> => picture.png().toBuffer()

/** A plain picture whose colour is derived from the name. */
const placeholder = async (name: string): Promise<Buffer> => {
  const sharp = await loadSharp()
  const [r, g, b] = [...createHash("sha256").update(name).digest().subarray(0, 3)].map(
    (value) => 40 + Math.floor(value / 2)
  )
  return written(sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: { r, g, b } } }))
}

/** The avatar re-encoded. Null if it cannot be decoded. */
const reencoded = async (avatar: Uint8Array): Promise<Buffer | null> => {
  const sharp = await loadSharp()
  return written(
    sharp(avatar, { limitInputPixels: MAX_PIXELS })
      .rotate()
      .resize({ width: LONGEST_SIDE, height: LONGEST_SIDE, fit: "inside", withoutEnlargement: true })
      .toColourspace("srgb")
      .removeAlpha()
  ).catch(() => null)
}

/**
 * A card as a PNG, the form in which cards are shared: as `ccv3`, and as `chara` for programs that support version 2,
 * with the files that it embeds. Decoding an avatar takes up to a few hundred megabytes, so run one at a time.
 */
export const cardPng = async (
  card: Fields,
  name: string,
  avatar: Uint8Array | null,
  embedded: ReadonlyMap<string, Uint8Array> = new Map()
): Promise<Buffer> => {
  const picture = (avatar === null ? null : await reencoded(avatar)) ?? (await placeholder(name))
  return Buffer.concat([
    picture.subarray(0, BEHIND_HEADER),
    ...[...embedded].map(([path, content]) => textChunk(embeddedAt(path), Buffer.from(content).toString("base64"))),
    textChunk("chara", inBase64({ ...card, spec: "chara_card_v2", spec_version: "2.0" })),
    textChunk("ccv3", inBase64(card)),
    picture.subarray(BEHIND_HEADER)
  ])
}
