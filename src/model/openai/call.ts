import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type { ChatMessage } from "#pipeline/chat.ts"
import { GEN_AI } from "#pipeline/telemetry/genAi.ts"
import { describeSpan, inSpan } from "#pipeline/telemetry/trace.ts"
import { measureCall } from "../modelMetrics.ts"
import { describeAnswer } from "./describeAnswer.ts"
import {
  badResponse,
  CallFailed,
  LENGTH_REFUSED,
  filtered,
  refusal,
  timedOut,
  toCallFailed,
  wasAnswered
} from "./failure.ts"
import { type Format, responseFormat, type Rung } from "./Format.ts"
import { makeClient, OPENAI_URL } from "./makeClient.ts"
import { type Spent, spentOn } from "./usage.ts"

export interface OpenAiOptions {
  readonly apiKey: Redacted.Redacted<string>
  /** Address up to and including `/v1`. OpenAI's own if missing. */
  readonly baseUrl?: string | null
  readonly model: string
  /** Timeout of one call, not counting retries. */
  readonly callTimeout: Duration.Input
  /** The delay before the first retry. */
  readonly backoff?: Duration.Input
  /** Maximum length of an answer, if the question does not set one. */
  readonly maxTokens?: number
}

/** Default maximum length of an answer. */
export const MAX_TOKENS = 1_000

/** Sampling options. An option that is left out has the model's default. */
export interface Sampling {
  readonly temperature?: number | undefined
  readonly frequencyPenalty?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly maxTokens?: number | undefined
}

/**
 * OpenAI's reasoning models use a different parameter for the answer length, and take no sampling options. Compatible
 * servers only know the old name.
 */
const LENGTH_NAMES = ["max_completion_tokens", "max_tokens"] as const
type LengthName = (typeof LENGTH_NAMES)[number]

/** Several times as much as the longest answer that can be requested, with the thinking that servers send along. */
const MAX_ANSWER_BYTES = 1_000_000
const BACKOFF = Duration.millis(500)
const MAX_BACKOFF = Duration.seconds(4)
const MAX_RETRIES = 2
/** If a server asks for a longer pause than this, give up at once: the turn has a deadline. */
const MAX_RETRY_AFTER_MS = 10_000

/** The part of the answer that we read. The client's types promise more than compatible servers return. */
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
/** What an answer that is no completion still reports. */
const decodeReported = Schema.decodeUnknownOption(Schema.Struct({ usage: Schema.Unknown }))

const SENTENCE_ENDS = new Set("。！？.!?…\n")

/** Waits at least as long as the server asked, with jitter so that many turns do not retry at once. */
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

/** Plain text that reached the length limit, up to its last complete sentence. Empty if it has none. */
const wholeSentences = (text: string): string => {
  let end = text.length
  while (end > 0 && !SENTENCE_ENDS.has(text[end - 1] ?? "")) end--
  return text.slice(0, end)
}

/**
 * Builds the call to the model. It is retried while the model cannot be reached. `admit` refuses each try that is not
 * covered. `spend` is called for every answer, usable or not, and for every call that we cancel.
 */
export const makeCall = (options: OpenAiOptions) => {
  const client = makeClient(options, MAX_ANSWER_BYTES)
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
    spend: (spent: Spent) => Effect.Effect<void>,
    admit: Effect.Effect<void, CallFailed>
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
      // The model has already read the question, and the provider charges for that.
      Effect.onInterrupt(() => spend(spentOn(undefined, messages, ""))),
      Effect.tapError((thrown) => (wasAnswered(thrown) ? spend(spentOn(undefined, messages, "")) : Effect.void)),
      Effect.catch((thrown) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(toCallFailed(thrown, now)))
      ),
      Effect.timeoutOrElse({ duration: options.callTimeout, orElse: () => Effect.fail(timedOut()) }),
      measureCall(format.name, options.model),
      Effect.tap((answer) => describeAnswer(messages, answer)),
      Effect.tapError(({ code }) => describeSpan({ [GEN_AI.error]: code })),
      inSpan(`chat ${options.model}`, "client", {
        [GEN_AI.operation]: "chat",
        [GEN_AI.provider]: "openai",
        [GEN_AI.requestModel]: options.model,
        [GEN_AI.maxTokens]: maxTokens,
        [GEN_AI.outputType]: rung === "text" ? "text" : "json",
        [GEN_AI.purpose]: format.name,
        ...(temperature !== undefined && { [GEN_AI.temperature]: temperature })
      })
    )

  return Effect.fn("OpenAi.call")(function* (...request: Request) {
    const [messages, format, , , spend, admit] = request
    const asked = Effect.suspend(() => Effect.andThen(admit, once(...request))).pipe(Effect.retry(retrySchedule))
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
    } = yield* decodeCompletion(response).pipe(
      Effect.tapError(() => {
        const reported = decodeReported(response)
        return Option.isNone(reported) ? Effect.void : spend(spentOn(reported.value.usage, messages, ""))
      }),
      Effect.mapError(badResponse)
    )
    const { content, refusal: refused } = choice.message
    yield* spend(spentOn(usage, messages, content ?? refused ?? ""))
    if (typeof refused === "string" && refused !== "") return yield* refusal()
    if (choice.finish_reason === "content_filter") return yield* filtered()
    const text = content ?? ""
    const isProse = format.fromPlainText !== null && !text.trimStart().startsWith("{")
    return choice.finish_reason === "length" && isProse ? wholeSentences(text) : text
  })
}
