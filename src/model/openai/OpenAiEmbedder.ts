import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { ModelError } from "#pipeline/ModelError.ts"
import { SpendingLimit } from "#pipeline/SpendingLimit.ts"
import { Embedder, type EmbeddingRequest, MAX_TEXT_CHARS, MAX_TEXTS } from "../Embedder.ts"
import { countUsage, measureCall, reportCall } from "../modelMetrics.ts"
import { Prices } from "../prices.ts"
import { embeddingMicroUsd } from "../reservation.ts"
import { badResponse, type CallFailed, mayBePaid, overBudget, timedOut, toCallFailed } from "./failure.ts"
import { makeClient } from "./makeClient.ts"
import { priced, spentOn } from "./usage.ts"

export interface OpenAiEmbedderOptions {
  readonly apiKey: Redacted.Redacted<string>
  readonly baseUrl: string | null
  readonly model: string
}

/** A reply waits for the embedding of its message, and does without it after this time. */
const TIMEOUTS = { query: Duration.seconds(1), background: Duration.seconds(10) }

/** Models that give the most important dimensions first, and as few as asked. The others give what they have. */
const SHORTENED = /(?:^|\/)text-embedding-3/
const DIMENSIONS = 256
const MAX_DIMENSIONS = 2_048
/** The longest answer: each number with its sign, its digits and a comma. */
const MAX_ANSWER_BYTES = MAX_TEXTS * MAX_DIMENSIONS * 28

const Answer = Schema.Struct({
  data: Schema.NonEmptyArray(
    Schema.Struct({
      index: Schema.Natural,
      embedding: Schema.NonEmptyArray(Schema.Finite).check(Schema.isMaxLength(MAX_DIMENSIONS))
    })
  ),
  usage: Schema.optionalKey(Schema.Unknown)
})
const decode = Schema.decodeUnknownEffect(Answer)

/** In the order of the texts. Undefined: some are missing, or their lengths differ. */
const inOrder = ({ data }: typeof Answer.Type, count: number) => {
  const sorted = data.toSorted((a, b) => a.index - b.index)
  const isComplete = sorted.length === count && sorted.every(({ index }, place) => index === place)
  return isComplete && sorted.every(({ embedding }) => embedding.length === sorted[0]?.embedding.length)
    ? sorted.map(({ embedding }) => embedding)
    : undefined
}

/** How servers refuse texts that are longer than their model reads: some models read only a few hundred tokens. */
const TOO_LONG: ReadonlySet<string> = new Set(["http_400", "http_413", "http_422", "http_500"])
const SHORT_CHARS = 500
const isLong = (text: string): boolean => text.length > SHORT_CHARS
const shorten = (text: string): string => text.slice(0, SHORT_CHARS).toWellFormed()

const cut = (text: string): string => text.slice(0, MAX_TEXT_CHARS).toWellFormed()

/** An embedding model behind an OpenAI-compatible API. It does not retry: words find most things without it. */
export const layer = (options: OpenAiEmbedderOptions) =>
  Layer.effect(
    Embedder,
    Effect.gen(function* () {
      const prices = yield* Prices
      const { model } = options
      const client = makeClient(options, MAX_ANSWER_BYTES)
      const dimensions = SHORTENED.test(model) ? { dimensions: DIMENSIONS } : {}
      const mostMicroUsd = (texts: ReadonlyArray<string>) =>
        embeddingMicroUsd(
          prices,
          model,
          texts.map((text) => Buffer.byteLength(cut(text)))
        )

      const ask = (texts: ReadonlyArray<string>, urgency: EmbeddingRequest["urgency"]) =>
        Effect.tryPromise({
          try: (signal): Promise<unknown> =>
            client.embeddings.create({ model, input: [...texts], encoding_format: "float", ...dimensions }, { signal }),
          catch: (thrown) => thrown
        }).pipe(
          Effect.catch((thrown) =>
            Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(toCallFailed(thrown, now)))
          ),
          Effect.timeoutOrElse({ duration: TIMEOUTS[urgency], orElse: () => Effect.fail(timedOut()) }),
          Effect.flatMap((answer) => Effect.mapError(decode(answer), () => badResponse())),
          Effect.flatMap((answer) => {
            const embeddings = inOrder(answer, texts.length)
            return embeddings === undefined ? Effect.fail(badResponse()) : Effect.succeed({ embeddings, answer })
          }),
          measureCall("embedding"),
          reportCall(model)
        )

      const embed = Effect.fn("OpenAi.embed")(function* ({ texts, urgency }: EmbeddingRequest) {
        const limit = yield* SpendingLimit
        const sent = texts.map(cut)
        const book = (reported: unknown) => {
          const tokens = typeof reported === "object" ? { completion_tokens: 0, ...reported } : undefined
          const spent = spentOn(tokens, [{ role: "user", content: sent.join("\n") }], "")
          const usage = priced(prices, model, spent)
          countUsage(spent, usage.costMicroUsd)
          limit?.spend(usage.costMicroUsd)
          return usage
        }
        const toModelError = ({ reason, code }: CallFailed) =>
          // The provider may charge for a call whose answer is late or unusable.
          new ModelError({ reason, code, usage: mayBePaid(code) ? book(null) : null })
        if (limit !== null && !limit.covers(mostMicroUsd(sent))) return yield* toModelError(overBudget())
        const { embeddings, answer } = yield* ask(sent, urgency).pipe(
          Effect.catchIf(
            ({ code }) => TOO_LONG.has(code) && urgency === "background" && sent.some(isLong),
            () => ask(sent.map(shorten), urgency)
          ),
          Effect.onInterrupt(() => Effect.sync(() => book(null))),
          Effect.mapError(toModelError)
        )
        return { embeddings, usage: book(answer.usage) }
      })
      return { model, mostMicroUsd, embed }
    })
  )
