import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { exceedsDecodedLimit, DECODED_TOO_LARGE } from "./decodedSize.ts"
import { loadSharp } from "./loadSharp.ts"
import { readType } from "./readType.ts"
import { withoutTexts } from "./withoutTexts.ts"

export interface Picture {
  readonly bytes: Uint8Array
  readonly mediaType: "image/png" | "image/jpeg" | "image/webp"
  /** Pixels. */
  readonly width: number
  readonly height: number
}

/** The file is not an accepted picture. `message` explains why, for the person who sent it. */
export class PictureRefused extends Schema.TaggedError<PictureRefused>()("PictureRefused", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}

const MAX_PIXELS = 40_000_000
/**
 * Maximum length of either side of the output. A WebP is kept in memory while it is encoded, at ten times its pixels
 * and more.
 */
const MAX_SIDE = { png: 4096, jpeg: 4096, webp: 2048 }
const MAX_SIDE_TRANSPARENT_WEBP = 1448
/** Encoder options that avoid a pass over the whole picture to optimize codes, which would keep all of it in memory. */
const WRITTEN = { png: {}, jpeg: { quality: 90, optimizeCoding: false }, webp: { quality: 90 } }
const SECONDS = 20
/** Decoding one picture takes up to 180 megabytes. */
const AT_ONCE = 1

const isTooLarge = (thrown: unknown) => thrown instanceof Error && /pixel limit/i.test(thrown.message)

/** Cleans pictures from outside, regardless of who sent them. */
export class Pictures extends Context.Service<
  Pictures,
  {
    /**
     * Re-encodes the picture without anything else that was in the file: upright, without metadata, no side longer than
     * 4096 pixels. For WebP the limit is 2048, or 1448 with transparency.
     */
    readonly clean: (bytes: Uint8Array) => Effect.Effect<Picture, PictureRefused>
    /** A clean picture as a square JPEG, cropped to its most salient part. */
    readonly square: (bytes: Uint8Array, side: number) => Effect.Effect<Uint8Array, PictureRefused>
  }
>()("src/pictures/Pictures") {
  static readonly layer = Layer.effect(
    Pictures,
    Effect.gen(function* () {
      const slots = yield* Semaphore.make(AT_ONCE)

      const unreadable = (thrown: unknown) =>
        new PictureRefused({
          problem: isTooLarge(thrown) ? "The picture has more than 40 million pixels." : "The picture cannot be read."
        })

      const write = Effect.fnUntraced(function* (bytes: Buffer, format: "png" | "jpeg" | "webp") {
        const open = Effect.map(Effect.promise(loadSharp), (sharp) =>
          sharp(bytes, { failOn: "error", limitInputPixels: MAX_PIXELS })
        )
        const header = yield* Effect.flatMap(open, (picture) =>
          Effect.tryPromise({ try: () => picture.metadata(), catch: unreadable })
        )
        if (exceedsDecodedLimit(bytes, format, header))
          return yield* new PictureRefused({ problem: `The picture ${DECODED_TOO_LARGE}.` })
        const side = format === "webp" && header.hasAlpha ? MAX_SIDE_TRANSPARENT_WEBP : MAX_SIDE[format]
        const { data, info } = yield* Effect.flatMap(open, (picture) =>
          Effect.tryPromise({
            try: () =>
              picture
                .autoOrient()
                .resize({ width: side, height: side, fit: "inside", withoutEnlargement: true })
                .toFormat(format, WRITTEN[format])
                .timeout({ seconds: SECONDS })
                .toBuffer({ resolveWithObject: true }),
            catch: unreadable
          })
        )
        return { bytes: data, mediaType: `image/${format}`, width: info.width, height: info.height } as const
      })

      const square = Effect.fnUntraced(function* (bytes: Uint8Array, side: number) {
        const sharp = yield* Effect.promise(loadSharp)
        return yield* Effect.tryPromise({
          try: () =>
            sharp(bytes, { failOn: "error", limitInputPixels: MAX_PIXELS })
              .resize({ width: side, height: side, fit: "cover", position: "attention" })
              .flatten({ background: "#fff" })
              .jpeg(WRITTEN.jpeg)
              .timeout({ seconds: SECONDS })
              .toBuffer(),
          catch: unreadable
        })
      })

      return Pictures.of({
        clean: Effect.fnUntraced(function* (bytes) {
          const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
          const type = readType(whole)
          if ("problem" in type) return yield* new PictureRefused(type)
          const picture = type.format === "png" ? withoutTexts(whole) : whole
          return yield* slots.withPermits(1)(write(picture, type.format))
        }),
        square: (bytes, side) => slots.withPermits(1)(square(bytes, side))
      })
    })
  )
}
