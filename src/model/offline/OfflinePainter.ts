import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"
import { type ImageSize, type PaintRequest, Painter } from "../Painter.ts"
import { imageMicroUsd } from "../prices.ts"
import { GLYPH_HEIGHT, GLYPH_WIDTH, hasDot, initialsOf } from "./glyphs.ts"

const MODEL = "offline-placeholder.v1"
const PIXELS: Readonly<Record<ImageSize, readonly [width: number, height: number]>> = { square: [512, 512], portrait: [512, 768], landscape: [768, 512] }
/** Of the letters, between them, and above and below them, of the width of a dot. */
const GAP = 1

const mixed = (from: number, to: number, share: number) => Math.round(from + (to - from) * share)

/** A gradient by the seed, and the initials on it. */
const draw = ({ size, name, seed }: PaintRequest) => {
  const [width, height] = PIXELS[size]
  const colours = createHash("sha256").update(seed).digest()
  const initials = initialsOf(name)
  const columns = initials.length * (GLYPH_WIDTH + GAP) - GAP
  const dot = Math.floor(Math.min(width / (columns + 6), height / (GLYPH_HEIGHT + 8)))
  const [left, top] = [Math.floor((width - columns * dot) / 2), Math.floor((height - GLYPH_HEIGHT * dot) / 2)]
  const isInk = (x: number, y: number) => {
    const [column, row] = [Math.floor((x - left) / dot), Math.floor((y - top) / dot)]
    if (column < 0 || column >= columns || row < 0 || row >= GLYPH_HEIGHT) return false
    const place = column % (GLYPH_WIDTH + GAP)
    return place < GLYPH_WIDTH && hasDot(initials[Math.floor(column / (GLYPH_WIDTH + GAP))] ?? "", place, row)
  }
  const data = new Uint8Array(width * height * 3)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const share = (x / width + y / height) / 2
      for (let channel = 0; channel < 3; channel++) {
        data[(y * width + x) * 3 + channel] = isInk(x, y) ? 245 : mixed(40 + (colours[channel] ?? 0) / 2, 40 + (colours[channel + 3] ?? 0) / 2, share)
      }
    }
  }
  return { width, height, channels: 3, data }
}

/** Placeholders, which say that they are some. The same for the same seed; no model and no network. */
export const layer = Layer.succeed(Painter, {
  engine: "offline-placeholder.v1",
  model: MODEL,
  priceMicroUsd: (size) => imageMicroUsd(MODEL, size),
  paint: (request) => Effect.promise(async () => (await import("fast-png")).encode(draw(request)))
})
