import { encode } from "fast-png"
import { createHash } from "node:crypto"
import type { Fields } from "./readJson.ts"

const WIDTH = 256
const HEIGHT = 384

const inBase64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64")

/** A plain picture in a colour of the name's own. */
const placeholder = (name: string): Uint8Array => {
  const [red = 0, green = 0, blue = 0] = createHash("sha256").update(name).digest()
  const dark = (value: number) => 40 + value / 2
  const pixels = new Uint8Array(WIDTH * HEIGHT * 3)
  for (let at = 0; at < pixels.length; at += 3) {
    pixels[at] = dark(red)
    pixels[at + 1] = dark(green)
    pixels[at + 2] = dark(blue)
  }
  return pixels
}

/** A card as the picture in which cards are passed on: in `ccv3`, and in `chara` for programs that know version 2. */
export const cardPng = (card: Fields, name: string): Buffer => {
  const text = { chara: inBase64({ ...card, spec: "chara_card_v2", spec_version: "2.0" }), ccv3: inBase64(card) }
  return Buffer.from(encode({ width: WIDTH, height: HEIGHT, channels: 3, depth: 8, data: placeholder(name), text }))
}
