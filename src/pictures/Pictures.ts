import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { loadSharp } from "#src/imports/loadSharp.ts"
import { readType } from "./readType.ts"

export interface Picture {
  readonly bytes: Uint8Array
  readonly mediaType: "image/png" | "image/jpeg" | "image/webp"
  /** Pixels. */
  readonly width: number
  readonly height: number
}

/** It is no picture that is taken. `message` says why, in a sentence for whoever has sent it. */
export class PictureRefused extends Schema.TaggedError<PictureRefused>()("PictureRefused", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}

const MOST_PIXELS = 40_000_000
/** Of either side of what comes out. */
const MOST_SIDE = 4096
const SECONDS = 20
/** One picture of the most pixels takes some hundred megabytes while it is read. */
const AT_ONCE = 1

const isTooLarge = (thrown: unknown) => thrown instanceof Error && /pixel limit/i.test(thrown.message)

/** Pictures that come from outside, whoever has sent them. */
export class Pictures extends Context.Service<Pictures, {
  /** The picture and nothing else that came with it: written anew, upright, without metadata, no side longer than 4096 pixels. */
  readonly clean: (bytes: Uint8Array) => Effect.Effect<Picture, PictureRefused>
}>()("src/pictures/Pictures") {
  static readonly layer = Layer.effect(Pictures, Effect.gen(function*() {
    const places = yield* Semaphore.make(AT_ONCE)

    const write = (bytes: Uint8Array, format: "png" | "jpeg" | "webp") => Effect.tryPromise({
      try: async (): Promise<Picture> => {
        const sharp = await loadSharp()
        const { data, info } = await sharp(bytes, { failOn: "error", limitInputPixels: MOST_PIXELS })
          .autoOrient()
          .resize({ width: MOST_SIDE, height: MOST_SIDE, fit: "inside", withoutEnlargement: true })
          .toFormat(format, format === "png" ? {} : { quality: 90 })
          .timeout({ seconds: SECONDS })
          .toBuffer({ resolveWithObject: true })
        return { bytes: data, mediaType: `image/${format}`, width: info.width, height: info.height }
      },
      catch: (thrown) => new PictureRefused({ problem: isTooLarge(thrown) ? "The picture has more than 40 million pixels." : "The picture cannot be read." })
    })

    return Pictures.of({
      clean: Effect.fnUntraced(function*(bytes) {
        const type = readType(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
        if ("problem" in type) return yield* new PictureRefused(type)
        return yield* places.withPermits(1)(write(bytes, type.format))
      })
    })
  }))
}
