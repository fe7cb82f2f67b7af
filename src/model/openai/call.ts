import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type { ChatMessage } from "#pipeline/chat.ts"
import { GEN_AI } from "#pipeline/telemetry/genAi.ts"
import { describeSpan, inSpan } from "#pipeline/telemetry/trace.ts"
import { measureCall } from "../modelMetrics.ts"
import { decodeAnswer, type DecodedAnswer } from "./decodeAnswer.ts"
import { describeAnswer } from "./describeAnswer.ts"
import {
  badResponse,
  brokenOff,
  type CallFailed,
  filtered,
  fromServer,
  noChoice,
  refusal,
  retryAfterMs,
  timedOut,
  toCallFailed,
  wasAnswered
} from "./failure.ts"
import { makeFetchAnswer } from "./fetchAnswer.ts"
import { type Format, responseFormat, type Rung } from "./Format.ts"
import type { Manner } from "./learned.ts"
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

const BACKOFF = Duration.millis(500)
const MAX_BACKOFF = Duration.seconds(4)
const MAX_RETRIES = 2
/** If a server asks for a longer pause than this, give up at once: the turn has a deadline. */
const MAX_RETRY_AFTER_MS = 10_000

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

/** For templates without a system role: the instructions stand at the beginning of the first message. */
const withoutSystemRole = (messages: ReadonlyArray<ChatMessage>): ReadonlyArray<ChatMessage> => {
  const [system, first, ...others] = messages
  if (system?.role !== "system") return messages
  return first?.role === "user"
    ? [{ role: "user", content: `${system.content}\n\n${first.content}` }, ...others]
    : [{ ...system, role: "user" }, ...messages.slice(1)]
}

/** One request to a model, as it is sent. */
export interface Request {
  readonly messages: ReadonlyArray<ChatMessage>
  readonly format: Format<unknown>
  readonly rung: Rung
  readonly manner: Manner
  readonly sampling: Sampling
  readonly maxTokens: number
  /** Called for every answer, usable or not, and for every call that we cancel. */
  readonly spend: (spent: Spent) => Effect.Effect<void>
  /** Refuses each try that is not covered. */
  readonly admit: Effect.Effect<void, CallFailed>
}

/** Builds the call to the model. It is repeated as the table of failures says. */
export const makeCall = (options: OpenAiOptions) => {
  const fetchAnswer = makeFetchAnswer(options)
  const retrySchedule = retries(options.backoff ?? BACKOFF)

  const bodyOf = ({ messages, format, rung, manner, sampling, maxTokens }: Request) => ({
    model: options.model,
    messages: manner.takesSystemRole ? messages : withoutSystemRole(messages),
    [manner.lengthName]: Math.min(maxTokens, manner.longest ?? maxTokens),
    ...(manner.takesSampling && {
      ...(sampling.temperature !== undefined && { temperature: sampling.temperature }),
      ...(sampling.frequencyPenalty !== undefined && { frequency_penalty: sampling.frequencyPenalty }),
      ...(sampling.presencePenalty !== undefined && { presence_penalty: sampling.presencePenalty })
    }),
    ...(!manner.mayThink && { enable_thinking: false }),
    ...responseFormat(format, rung)
  })

  /** Books what an answer has used, and fails if it is none. */
  const read = Effect.fnUntraced(function* (
    { messages, spend }: Request,
    answer: DecodedAnswer,
    waitMs: number | null
  ): Effect.fn.Return<DecodedAnswer, CallFailed> {
    const { error, shape, usage, text, thinking, refusal: refused } = answer
    const spent = spentOn(usage, messages, `${text}${thinking}${refused ?? ""}`)
    const wasWritten = error === null && (shape === "completion" || shape === "cut")
    if (wasWritten || usage !== undefined) yield* spend(spent)
    if (error !== null) return yield* fromServer(error, waitMs)
    if (shape === "cut") return yield* brokenOff()
    // The provider charges for what a model wrote, so it is not asked for it again.
    if (shape !== "completion")
      return yield* shape === "missing" && spent.outputTokens === 0 ? noChoice() : badResponse()
    return answer
  })
  /** The call has worked, but the model will not answer. */
  const willing = (answer: DecodedAnswer): Effect.Effect<DecodedAnswer, CallFailed> =>
    answer.refusal !== null
      ? Effect.fail(refusal())
      : answer.finish === "content_filter"
        ? Effect.fail(filtered())
        : Effect.succeed(answer)

  const once = (request: Request) => {
    const { messages, format, rung, sampling, maxTokens, spend, manner } = request
    const estimated = Effect.suspend(() => spend(spentOn(undefined, messages, "")))
    return Effect.tryPromise({
      try: (signal) => fetchAnswer(bodyOf(request), signal),
      catch: (thrown) => thrown
    }).pipe(
      // The model has already read the question, and the provider charges for that.
      Effect.onInterrupt(() => estimated),
      Effect.tapError((thrown) => (wasAnswered(thrown) ? estimated : Effect.void)),
      Effect.catch((thrown) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(toCallFailed(thrown, now)))
      ),
      Effect.timeoutOrElse({ duration: options.callTimeout, orElse: () => Effect.fail(timedOut()) }),
      Effect.flatMap(({ status, headers, body }) => {
        const answer = decodeAnswer(body, status)
        return Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.andThen(describeAnswer(messages, answer), read(request, answer, retryAfterMs(headers, now)))
        )
      }),
      measureCall(format.name),
      Effect.flatMap(willing),
      Effect.tapError(({ code }) => describeSpan({ [GEN_AI.error]: code })),
      inSpan(`chat ${options.model}`, "client", {
        [GEN_AI.operation]: "chat",
        [GEN_AI.provider]: "openai",
        [GEN_AI.requestModel]: options.model,
        [GEN_AI.maxTokens]: maxTokens,
        [GEN_AI.outputType]: rung === "text" ? "text" : "json",
        [GEN_AI.purpose]: format.name,
        ...(manner.takesSampling &&
          sampling.temperature !== undefined && { [GEN_AI.temperature]: sampling.temperature })
      })
    )
  }

  return Effect.fn("OpenAi.call")((request: Request) =>
    Effect.suspend(() => Effect.andThen(request.admit, once(request))).pipe(Effect.retry(retrySchedule))
  )
}
