import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { APIError, toFile } from "openai"
import { type ImageSize, ImageFailed, type ImageRequest, ImageModel } from "../ImageModel.ts"
import { measureCall, reportCall } from "../modelMetrics.ts"
import { Prices } from "../prices.ts"
import { type CallFailed, timedOut, toCallFailed } from "./failure.ts"
import { makeClient } from "./makeClient.ts"

export interface OpenAiPainterOptions {
  readonly apiKey: Redacted.Redacted<string>
  readonly baseUrl: string | null
  readonly model: string
  readonly deadline: Duration.Input
}

const SIZES: Readonly<Record<ImageSize, "1024x1024" | "1024x1536" | "1536x1024">> = {
  square: "1024x1024",
  portrait: "1024x1536",
  landscape: "1536x1024"
}
const DALL_E_3: Readonly<Record<ImageSize, "1024x1024" | "1024x1792" | "1792x1024">> = {
  square: "1024x1024",
  portrait: "1024x1792",
  landscape: "1792x1024"
}
/** Error codes for a refused prompt or picture. */
const REFUSALS: ReadonlySet<string> = new Set([
  "moderation_blocked",
  "content_policy_violation",
  "content_filter",
  "safety_violation"
])
const RETRIES = 2
const BACKOFF = "300 millis"
/** Maximum length of a picture in base64, about forty megabytes decoded. */
const MAX_CHARACTERS = 56_000_000
const MAX_ANSWER_BYTES = MAX_CHARACTERS + 100_000

const decode = Schema.decodeUnknownEffect(
  Schema.Struct({
    data: Schema.NonEmptyArray(Schema.Struct({ b64_json: Schema.String.check(Schema.isMaxLength(MAX_CHARACTERS)) }))
  })
)

/**
 * An image model behind an OpenAI-compatible API. Pictures are returned inline. URLs in the answer are never fetched.
 */
export const layer = (options: OpenAiPainterOptions) =>
  Layer.effect(
    ImageModel,
    Effect.gen(function* () {
      const prices = yield* Prices
      const client = makeClient(options, MAX_ANSWER_BYTES)
      const isGptImage = /(?:^|\/)(?:chat)?gpt-image/.test(options.model)
      const shape = (size: ImageSize) =>
        // GPT image models always return base64 and reject `response_format`. Other models return base64 only if asked.
        isGptImage
          ? { size: SIZES[size], quality: "medium" as const }
          : { size: options.model === "dall-e-3" ? DALL_E_3[size] : SIZES[size], response_format: "b64_json" as const }

      // OpenAI's own models reject a seed. Servers of open models, which have their own address, accept one.
      const takesSeed = options.baseUrl !== null && !isGptImage && !options.model.startsWith("dall-e")
      const request = async (
        { prompt, size, modelSeed, references }: ImageRequest,
        signal: AbortSignal
      ): Promise<unknown> => {
        const asked = {
          model: options.model,
          prompt,
          n: 1,
          ...shape(size),
          ...(takesSeed && modelSeed !== null && { seed: modelSeed })
        }
        if (!isGptImage || references.length === 0) return client.images.generate(asked, { signal })
        const image = await Promise.all(
          references.map(({ bytes, mediaType }, index) => toFile(bytes, `reference-${index + 1}`, { type: mediaType }))
        )
        return client.images.edit({ ...asked, image }, { signal })
      }

      const ask = (wanted: ImageRequest) =>
        Effect.tryPromise({
          try: (signal) => request(wanted, signal),
          catch: (thrown) => thrown
        }).pipe(
          Effect.catch((thrown): Effect.Effect<never, ImageFailed | CallFailed> =>
            thrown instanceof APIError && typeof thrown.code === "string" && REFUSALS.has(thrown.code)
              ? Effect.fail(new ImageFailed({ reason: "refused", code: "provider_refused" }))
              : Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(toCallFailed(thrown, now)))
          ),
          measureCall("image"),
          reportCall(options.model),
          Effect.retry({
            times: RETRIES,
            schedule: Schedule.exponential(BACKOFF),
            while: (failure) => failure._tag === "CallFailed" && failure.passing
          }),
          Effect.timeoutOrElse({ duration: options.deadline, orElse: () => Effect.fail(timedOut()) }),
          Effect.catchTag("CallFailed", ({ code }) => Effect.fail(new ImageFailed({ reason: "failed", code })))
        )

      return ImageModel.of({
        engine: "openai-compatible",
        model: options.model,
        takesReferences: isGptImage,
        priceMicroUsd: (size, references) => prices.imageMicroUsd(options.model, size, references),
        generate: Effect.fn("OpenAi.paint")(function* (request: ImageRequest) {
          const {
            data: [picture]
          } = yield* Effect.mapError(Effect.flatMap(ask(request), decode), (error) =>
            error instanceof ImageFailed ? error : new ImageFailed({ reason: "failed", code: "bad_response" })
          )
          return Buffer.from(picture.b64_json, "base64")
        })
      })
    })
  )
