import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import OpenAI from "openai"
import type { ChatMessage } from "#pipeline/chat.ts"
import { badResponse, CallFailed, LENGTH_REFUSED, filtered, refusal, timedOut, toCallFailed } from "./failure.ts"
import { type Format, responseFormat, type Rung } from "./Format.ts"
import { type Spent, spentOn } from "./usage.ts"

export interface OpenAiOptions {
  readonly apiKey: Redacted.Redacted<string>
  /** Address up to and with `/v1`; OpenAI's own when it is missing. */
  readonly baseUrl?: string | null
  readonly model: string
  /** How long one call may take, its retries not counted. */
  readonly callTimeout: Duration.Input
  /** The first wait before a retry. */
  readonly backoff?: Duration.Input
  /** How long an answer may be, where the question does not say. */
  readonly maxTokens?: number
}

/** Of an answer, where nobody says. */
export const MAX_TOKENS = 1_000

/** How an answer is drawn; where something is left out, as the model does it by itself. */
export interface Sampling {
  readonly temperature?: number | undefined
  readonly frequencyPenalty?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly maxTokens?: number | undefined
}

/**
 * Models of OpenAI that reason take the length of an answer under another name, and no sampling. Compatible servers
 * know the old name.
 */
const LENGTH_NAMES = ["max_completion_tokens", "max_tokens"] as const
type LengthName = (typeof LENGTH_NAMES)[number]

export const OPENAI_URL = "https://api.openai.com/v1"
const BACKOFF = Duration.millis(500)
const MAX_BACKOFF = Duration.seconds(4)
const MAX_RETRIES = 2
/** A server that asks for a longer pause than this is given up at once: the turn has a deadline. */
const MAX_RETRY_AFTER_MS = 10_000

/** The part of the answer that we read. The client's types promise more than compatible servers keep. */
const Completion = Schema.Struct({
  choices: Schema.NonEmptyArray(
    Schema.Struct({
      message: Schema.Struct({
        content: Schema.optionalKey(Schema.NullOr(Schema.String)),
        refusal: Schema.optionalKey(Schema.NullOr(Schema.String))
      }),
      finish_reason: Schema.optionalKey(Schema.NullOr(Schema.String))
    })
  ),
  usage: Schema.optionalKey(Schema.Unknown)
})
const decodeCompletion = Schema.decodeUnknownEffect(Completion)

/** Never sooner than the server asked, jittered so that many turns do not come back at once. */
const retries = (backoff: Duration.Input) =>
  Schedule.min([Schedule.exponential(backoff), Schedule.spaced(MAX_BACKOFF)]).pipe(
    Schedule.jittered,
    Schedule.upTo({ times: MAX_RETRIES }),
    Schedule.setInputType<CallFailed>(),
    Schedule.while(({ input }) => input.passing && (input.retryAfterMs ?? 0) <= MAX_RETRY_AFTER_MS),
    Schedule.modifyDelay(({ duration, input }) =>
      Effect.succeed(Duration.sum(duration, Duration.millis(input.retryAfterMs ?? 0)))
    )
  )

/**
 * Builds the one question to the model: retried while it cannot be reached; `spend` is told of every answer, usable or
 * not, and of every call that we cut off.
 */
export const makeCall = (options: OpenAiOptions) => {
  // Settings own the environment: the client reads no key, address or organisation of its own accord, and logs nothing.
  const client = new OpenAI({
    apiKey: Redacted.value(options.apiKey),
    baseURL: options.baseUrl ?? OPENAI_URL,
    organization: null,
    project: null,
    adminAPIKey: null,
    maxRetries: 0,
    logLevel: "off"
  })
  const retrySchedule = retries(options.backoff ?? BACKOFF)

  let lengthName: LengthName =
    options.baseUrl === undefined || options.baseUrl === null || options.baseUrl === OPENAI_URL
      ? "max_completion_tokens"
      : "max_tokens"
  const otherThan = (refused: LengthName): LengthName => LENGTH_NAMES.find((name) => name !== refused) ?? refused

  type Request = readonly [
    messages: ReadonlyArray<ChatMessage>,
    format: Format<unknown>,
    rung: Rung,
    sampling: Sampling & { readonly maxTokens: number },
    spend: (spent: Spent) => Effect.Effect<void>
  ]
  const once = (
    ...[messages, format, rung, { temperature, frequencyPenalty, presencePenalty, maxTokens }, spend]: Request
  ) =>
    Effect.tryPromise({
      try: (signal): Promise<unknown> =>
        client.chat.completions.create(
          {
            model: options.model,
            messages: [...messages],
            [lengthName]: maxTokens,
            ...(temperature !== undefined && { temperature }),
            ...(frequencyPenalty !== undefined && { frequency_penalty: frequencyPenalty }),
            ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
            ...responseFormat(format, rung)
          },
          { signal }
        ),
      catch: (thrown) => thrown
    }).pipe(
      // The model has read the question by now, and whoever runs it will charge for that.
      Effect.onInterrupt(() => spend(spentOn(undefined, messages, ""))),
      Effect.catch((thrown) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(toCallFailed(thrown, now)))
      ),
      Effect.timeoutOrElse({ duration: options.callTimeout, orElse: () => Effect.fail(timedOut()) })
    )

  return Effect.fn("OpenAi.call")(function* (...request: Request) {
    const [messages, , , , spend] = request
    const asked = Effect.suspend(() => once(...request)).pipe(Effect.retry(retrySchedule))
    const name = lengthName
    const response = yield* Effect.catchIf(
      asked,
      ({ code }) => code === LENGTH_REFUSED,
      () =>
        Effect.suspend(() => {
          lengthName = otherThan(name)
          return asked
        })
    )
    const {
      choices: [choice],
      usage
    } = yield* Effect.mapError(decodeCompletion(response), badResponse)
    const { content, refusal: refused } = choice.message
    yield* spend(spentOn(usage, messages, content ?? refused ?? ""))
    if (typeof refused === "string" && refused !== "") return yield* refusal()
    if (choice.finish_reason === "content_filter") return yield* filtered()
    return content ?? ""
  })
}
