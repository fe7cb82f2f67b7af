import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"
import { type ImageSize, type ImageRequest, ImageModel } from "../ImageModel.ts"
import { Prices } from "../prices.ts"
import { GLYPH_HEIGHT, GLYPH_WIDTH, hasDot, initialsOf } from "./glyphs.ts"

const MODEL = "offline-placeholder.v1"
const PIXELS: Readonly<Record<ImageSize, readonly [width: number, height: number]>> = {
  square: [512, 512],
  portrait: [512, 768],
  landscape: [768, 512]
}
/** Between letters, in dots. */
const GAP = 1

const INK = 245
/** Colours are limited to the darker half so that the letters are readable. */
const darker = (byte = 0) => 40 + byte / 2

/** A gradient from the seed, with the initials on it. */
const draw = ({ size, name, seed }: ImageRequest) => {
  const [width, height] = PIXELS[size]
  const data = new Uint8Array(width * height * 3)
  const colours = createHash("sha256").update(seed).digest()
  for (let channel = 0; channel < 3; channel++) {
    const [from, to] = [darker(colours[channel]), darker(colours[channel + 3])]
    const step = (to - from) / 2 / width
    for (let y = 0, at = channel; y < height; y++) {
      let value = from + ((to - from) / 2) * (y / height)
      for (let x = 0; x < width; x++, at += 3, value += step) data[at] = value
    }
  }

  const initials = initialsOf(name)
  const columns = initials.length * (GLYPH_WIDTH + GAP) - GAP
  const dot = Math.floor(Math.min(width / (columns + 6), height / (GLYPH_HEIGHT + 8)))
  const [left, top] = [Math.floor((width - columns * dot) / 2), Math.floor((height - GLYPH_HEIGHT * dot) / 2)]
  const fill = (column: number, row: number) => {
    const start = left + column * dot
    for (let y = top + row * dot; y < top + (row + 1) * dot; y++)
      data.fill(INK, (y * width + start) * 3, (y * width + start + dot) * 3)
  }
  for (const [index, letter] of [...initials].entries()) {
    for (let row = 0; row < GLYPH_HEIGHT; row++) {
      for (let column = 0; column < GLYPH_WIDTH; column++)
        if (hasDot(letter, column, row)) fill(index * (GLYPH_WIDTH + GAP) + column, row)
    }
  }
  return { data, raw: { width, height, channels: 3 } } as const
}

/** Placeholder pictures that are labelled as such. The same seed gives the same picture. No model and no network. */
export const layer = Layer.effect(
  ImageModel,
  Effect.map(Prices, (prices) =>
    ImageModel.of({
      engine: "offline-placeholder.v1",
      model: MODEL,
      takesReferences: false,
      priceMicroUsd: (size) => prices.imageMicroUsd(MODEL, size),
      // Encoded off the main thread, which serves other requests.
      generate: (request) =>
        Effect.promise(async () => {
          const { default: sharp } = await import("sharp")
          const { data, raw } = draw(request)
          return sharp(data, { raw }).png().toBuffer()
        })
    })
  )
)
