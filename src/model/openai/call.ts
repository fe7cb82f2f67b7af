import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import OpenAI from "openai"
import type { ChatMessage } from "#pipeline/chat.ts"
import { badResponse, CallFailed, filtered, refusal, timedOut, toCallFailed } from "./failure.ts"
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
  /** The model's own without it. */
  readonly temperature?: number
}

export const OPENAI_URL = "https://api.openai.com/v1"
const BACKOFF = Duration.millis(500)
const MAX_BACKOFF = Duration.seconds(4)
const MAX_RETRIES = 2
/** A server that asks for a longer pause than this is given up at once: the turn has a deadline. */
const MAX_RETRY_AFTER_MS = 10_000

/** The part of the answer that we read. The client's types promise more than compatible servers keep. */
const Completion = Schema.Struct({
  choices: Schema.NonEmptyArray(Schema.Struct({
    message: Schema.Struct({
      content: Schema.optionalKey(Schema.NullOr(Schema.String)),
      refusal: Schema.optionalKey(Schema.NullOr(Schema.String))
    }),
    finish_reason: Schema.optionalKey(Schema.NullOr(Schema.String))
  })),
  usage: Schema.optionalKey(Schema.Unknown)
})
const decodeCompletion = Schema.decodeUnknownEffect(Completion)

/** Never sooner than the server asked, jittered so that many turns do not come back at once. */
const retries = (backoff: Duration.Input) => Schedule.min([Schedule.exponential(backoff), Schedule.spaced(MAX_BACKOFF)]).pipe(
  Schedule.jittered,
  Schedule.upTo({ times: MAX_RETRIES }),
  Schedule.setInputType<CallFailed>(),
  Schedule.while(({ input }) => input.passing && (input.retryAfterMs ?? 0) <= MAX_RETRY_AFTER_MS),
  Schedule.modifyDelay(({ duration, input }) => Effect.succeed(Duration.sum(duration, Duration.millis(input.retryAfterMs ?? 0))))
)

/** Builds the one question to the model: retried while it cannot be reached; `spend` is told of every answer, usable or not, and of every call that we cut off. */
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

  const once = (messages: ReadonlyArray<ChatMessage>, format: Format<unknown>, rung: Rung, spend: (spent: Spent) => Effect.Effect<void>) =>
    Effect.tryPromise({
      try: (signal): Promise<unknown> =>
        client.chat.completions.create(
          { model: options.model, messages: [...messages], ...options.temperature !== undefined && { temperature: options.temperature }, ...responseFormat(format, rung) },
          { signal }
        ),
      catch: (thrown) => thrown
    }).pipe(
      // The model has read the question by now, and whoever runs it will charge for that.
      Effect.onInterrupt(() => spend(spentOn(undefined, messages, ""))),
      Effect.catch((thrown) => Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(toCallFailed(thrown, now)))),
      Effect.timeoutOrElse({ duration: options.callTimeout, orElse: () => Effect.fail(timedOut()) })
    )

  return Effect.fn("OpenAi.call")(function*(messages: ReadonlyArray<ChatMessage>, format: Format<unknown>, rung: Rung, spend: (spent: Spent) => Effect.Effect<void>) {
    const response = yield* once(messages, format, rung, spend).pipe(Effect.retry(retrySchedule))
    const { choices: [choice], usage } = yield* Effect.mapError(decodeCompletion(response), badResponse)
    const { content, refusal: refused } = choice.message
    yield* spend(spentOn(usage, messages, content ?? refused ?? ""))
    if (typeof refused === "string" && refused !== "") return yield* refusal()
    if (choice.finish_reason === "content_filter") return yield* filtered()
    return content ?? ""
  })
}
