import { encode } from "fast-png"
import { createHash } from "node:crypto"
import sharp from "sharp"
import { MOST_PIXELS } from "./checkImage.ts"
import { embeddedAt } from "./pngTexts.ts"
import type { Fields } from "./readJson.ts"

const WIDTH = 256
const HEIGHT = 384
/** Of an avatar, once it is a card. */
const LONGEST_SIDE = 1024

interface Picture {
  readonly width: number
  readonly height: number
  readonly channels: number
  readonly data: Uint8Array
}

const inBase64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64")

/** A plain picture in a colour of the name's own. */
const placeholder = (name: string): Picture => {
  const colour = createHash("sha256").update(name).digest().subarray(0, 3).map((value) => 40 + value / 2)
  const data = new Uint8Array(WIDTH * HEIGHT * 3)
  for (let at = 0; at < data.length; at += 3) data.set(colour, at)
  return { width: WIDTH, height: HEIGHT, channels: 3, data }
}

/** An avatar as pixels; null for one that cannot be unpacked. */
const unpacked = (avatar: Uint8Array): Promise<Picture | null> =>
  sharp(avatar, { limitInputPixels: MOST_PIXELS }).rotate().resize({ width: LONGEST_SIDE, height: LONGEST_SIDE, fit: "inside", withoutEnlargement: true })
    .toColourspace("srgb").removeAlpha().raw({ depth: "uchar" }).toBuffer({ resolveWithObject: true })
    .then(({ data, info: { width, height, channels } }) => ({ width, height, channels, data }), () => null)

/** A card as the picture in which cards are passed on: in `ccv3`, and in `chara` for programs that know version 2; with what it calls embeded. */
export const cardPng = async (card: Fields, name: string, avatar: Uint8Array | null, embedded: ReadonlyMap<string, Uint8Array> = new Map()): Promise<Buffer> => {
  const files = Object.fromEntries([...embedded].map(([path, content]) => [embeddedAt(path), Buffer.from(content).toString("base64")]))
  const text = { ...files, chara: inBase64({ ...card, spec: "chara_card_v2", spec_version: "2.0" }), ccv3: inBase64(card) }
  const picture = (avatar === null ? null : await unpacked(avatar)) ?? placeholder(name)
  return Buffer.from(encode({ ...picture, depth: 8, text }))
}
