import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { type ChatMessage, dataBlock } from "#pipeline/chat.ts"
import type { Usage } from "#pipeline/domain/Turn.ts"
import { ModelError } from "#pipeline/ModelError.ts"
import { SpendingLimit } from "#pipeline/SpendingLimit.ts"
import type { ModelCondition } from "#src/health/ModelCondition.ts"
import { countUsage } from "../modelMetrics.ts"
import { Prices } from "../prices.ts"
import { adapt, type Attempt, firstAttempt, learnedFrom } from "./adapt.ts"
import { makeCall, MAX_TOKENS, type OpenAiOptions, type Sampling } from "./call.ts"
import type { DecodedAnswer } from "./decodeAnswer.ts"
import { CallFailed, overBudget, unusable } from "./failure.ts"
import type { Format } from "./Format.ts"
import type { Learned } from "./learned.ts"
import { type Broken, parse, type Parsed, salvaged, wholeSentences } from "./parse.ts"
import { mostOf, NOTHING, plus, priced, type Spent } from "./usage.ts"
import { makeWarmUp } from "./warmUp.ts"

/** One question to a model. */
export interface Question<A> {
  readonly format: Format<A>
  readonly messages: ReadonlyArray<ChatMessage>
  readonly sampling?: Sampling
  /** The messages between the first and the last are a history, of which the oldest may be dropped. */
  readonly hasHistory?: boolean
  /** What to ask instead if the model answers in prose twice where JSON is requested. */
  readonly inProse?: { readonly format: Format<A>; readonly messages: () => ReadonlyArray<ChatMessage> }
  /** Called before each further call, and when the question is cut off, with its cost so far. */
  readonly onSpent: (usage: Usage) => Effect.Effect<void>
}

export interface Answer<A> {
  readonly value: A
  readonly usage: Usage
  /** Whether the sampling options were a part of the request. */
  readonly isSampled: boolean
  /** What else happened, for the trace. */
  readonly notes: ReadonlyArray<string>
}

export type Ask = <A>(question: Question<A>) => Effect.Effect<Answer<A>, ModelError>

const QUOTED_MAX_CHARS = 4_000
/** How much more room an answer gets that was cut, and the longest that any gets, as OPENAI_MAX_TOKENS allows. */
const MORE_ROOM = 2
const MOST_TOKENS = 32_000
/** Questions whose answer is a reply. */
const REPLIES: ReadonlySet<string> = new Set(["reply", "rewrite"])
const isReply = ({ format }: Question<unknown>) => REPLIES.has(format.name)

/** The conversation, followed by the unusable answer and what is wrong with it. */
const repairing = (
  messages: ReadonlyArray<ChatMessage>,
  answer: string,
  { code, detail }: Broken
): ReadonlyArray<ChatMessage> => [
  ...messages,
  // Some servers reject an empty assistant message.
  { role: "assistant", content: answer.trim() === "" ? "(nothing)" : answer.slice(0, QUOTED_MAX_CHARS) },
  {
    role: "user",
    content:
      `${dataBlock("problem", { code, detail: detail.slice(0, QUOTED_MAX_CHARS) })}\n\nYour answer could not ` +
      `be ` +
      `used, for the reason above. Send the same answer again as one complete JSON object of the described form, and ` +
      `nothing else.`
  }
]

const CUT_DETAIL = "The answer was cut at the length limit. Write a shorter one."
/** An answer as a value. Text that was cut ends at its last whole sentence. */
const read = <A>({ text, finish }: DecodedAnswer, format: Format<A>): Parsed<A> => {
  const isCut = finish === "length"
  const isProse = isCut && format.fromPlainText !== null && !text.startsWith("{")
  const parsed = parse(isProse ? wholeSentences(text) : text, format)
  return isCut && parsed.kind === "broken" ? { ...parsed, code: "truncated_json", detail: CUT_DETAIL } : parsed
}

const failureOf = ({ code }: Broken, isCut: boolean) =>
  isCut ? "cut" : code === "empty_answer" ? "no_answer" : "unusable"

/** The model or its server does not want to go on, so nothing of its answer is used. */
const isUnwilling = ({ failure }: CallFailed) => failure === "refusal" || failure === "content_filter"
/** The longer answer was refused, in words that we may not know. */
const isRefused = ({ code, failure }: CallFailed) =>
  code.startsWith("http_4") && ["bad_request", "parameter_refused", "context_overflow", "too_large"].includes(failure)

/** What happened while a question was asked. */
interface Course {
  spent: Spent
  cutAt: number | null
  dropped: number
  isSampled: boolean
  isProse: boolean
}

export const PROSE_NOTE = "asked in plain text, because the model wrote no JSON"
const notesOf = ({ cutAt, dropped, isProse }: Course): ReadonlyArray<string> => [
  ...(cutAt === null ? [] : [`cut at the token limit: OPENAI_MAX_TOKENS allowed ${cutAt}`]),
  ...(dropped === 0 ? [] : [`history shortened by ${dropped} messages: it does not fit into the model's context`]),
  ...(isProse ? [PROSE_NOTE] : [])
]

/**
 * Asks one model at one address. An unreadable answer is requested once more, and a second one is a failure: text that
 * should be JSON is never used as text. No call is made that the spending limit does not cover.
 */
export const makeAsk = Effect.fnUntraced(function* (
  options: OpenAiOptions,
  learned: Learned,
  condition: ModelCondition
): Effect.fn.Return<Ask, never, Scope.Scope> {
  const prices = yield* Prices
  const call = makeCall(options)
  const warmUp = yield* makeWarmUp(options, learned, condition)

  const once = Effect.fnUntraced(function* (
    attempt: Attempt,
    { format, sampling = {} }: Question<unknown>,
    maxTokens: number,
    course: Ref.Ref<Course>
  ): Effect.fn.Return<DecodedAnswer, CallFailed> {
    const limit = yield* SpendingLimit
    const { messages, manner } = attempt
    const most = prices.costMicroUsd(options.model, mostOf(messages, format.schemaBytes, maxTokens))
    const spend = (spent: Spent) => {
      const costMicroUsd = prices.costMicroUsd(options.model, spent)
      countUsage(spent, costMicroUsd)
      limit?.spend(costMicroUsd)
      return Ref.update(course, (known) => ({ ...known, spent: plus(known.spent, spent) }))
    }
    const admit = Effect.suspend(() => (limit === null || limit.covers(most) ? Effect.void : Effect.fail(overBudget())))
    const rung = format.fromPlainText === null ? learned.rungAt(manner.rung) : "text"
    return yield* call({ messages, format, rung, manner, sampling, maxTokens, spend, admit })
  })

  /** Leaves out what the server refuses. What worked in the end is known to later questions. */
  const adapting = Effect.fnUntraced(function* (
    messages: ReadonlyArray<ChatMessage>,
    question: Question<unknown>,
    maxTokens: number,
    course: Ref.Ref<Course>
  ): Effect.fn.Return<DecodedAnswer, CallFailed> {
    const isPlain = question.format.fromPlainText !== null
    const takesFormat = learned.takesFormat(yield* Clock.currentTimeMillis)
    const asked = { isPlain, takesFormat, hasHistory: question.hasHistory ?? false, maxTokens }
    const from = (attempt: Attempt): Effect.Effect<DecodedAnswer, CallFailed> =>
      once(attempt, question, maxTokens, course).pipe(
        Effect.tap(() =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            learned.worked(learnedFrom(attempt), now, attempt.isRungGuessed)
            if (!isPlain && learned.rungAt(attempt.manner.rung) !== "text") learned.formatWorked(now)
            if (attempt.context !== null) learned.noteContext(attempt.context, now)
            return Ref.update(course, (known) => ({
              ...known,
              dropped: Math.max(known.dropped, attempt.dropped),
              isSampled: attempt.manner.takesSampling
            }))
          })
        ),
        Effect.catch((failure) => {
          const further = adapt(attempt, failure, asked, learned)
          return further === null ? Effect.fail(failure) : from(further)
        })
      )
    return yield* from(firstAttempt(messages, learned.manner(yield* Clock.currentTimeMillis)))
  })

  /** More room for an answer that was cut, if the spending limit covers it. */
  const roomAfter = Effect.fnUntraced(function* (
    isCut: boolean,
    maxTokens: number,
    messages: ReadonlyArray<ChatMessage>,
    { schemaBytes }: Format<unknown>
  ) {
    if (!isCut) return maxTokens
    const limit = yield* SpendingLimit
    const more = Math.max(maxTokens, Math.min(maxTokens * MORE_ROOM, MOST_TOKENS))
    const most = prices.costMicroUsd(options.model, mostOf(messages, schemaBytes, more))
    return limit === null || limit.covers(most) ? more : maxTokens
  })

  /** A model that writes prose where JSON is requested can still write the text of a reply. */
  const inProse = Effect.fnUntraced(function* <A>(
    question: Question<A>,
    { format, messages }: NonNullable<Question<A>["inProse"]>,
    maxTokens: number,
    course: Ref.Ref<Course>
  ): Effect.fn.Return<A, CallFailed> {
    yield* question.onSpent(priced(prices, options.model, (yield* Ref.get(course)).spent))
    const { inProse: _, ...asked } = question
    const answer = yield* adapting(messages(), { ...asked, format }, maxTokens, course)
    const parsed = read(answer, format)
    if (parsed.kind === "broken") return yield* unusable(parsed.code, failureOf(parsed, answer.finish === "length"))
    yield* Ref.update(course, (known) => ({ ...known, isProse: true }))
    if (learned.workedInProse(yield* Clock.currentTimeMillis)) yield* Effect.logWarning(PROSE)
    return parsed.value
  })

  const converse = Effect.fnUntraced(function* <A>(
    question: Question<A>,
    course: Ref.Ref<Course>
  ): Effect.fn.Return<A, CallFailed> {
    const { format, messages, onSpent } = question
    const isPlain = format.fromPlainText !== null
    const maxTokens = question.sampling?.maxTokens ?? options.maxTokens ?? MAX_TOKENS
    const noteCut = (at: number) =>
      Effect.andThen(
        Ref.update(course, (known) => ({ ...known, cutAt: at })),
        condition.cut(at)
      )
    const answer = yield* adapting(messages, question, maxTokens, course)
    const isCut = answer.finish === "length"
    const first = read(answer, format)
    if (isCut && (isPlain || first.kind === "broken")) yield* noteCut(maxTokens)
    if (!isPlain && !isCut) {
      const isStructured = first.kind === "answer" || first.code !== "no_json"
      const isHopeless = learned.noteAnswer(isStructured, yield* Clock.currentTimeMillis)
      if (isHopeless && question.inProse === undefined) yield* Effect.logWarning(NO_JSON)
    }
    if (first.kind !== "broken") return first.value
    yield* onSpent(priced(prices, options.model, (yield* Ref.get(course)).spent))
    const again = isPlain ? messages : repairing(messages, answer.text, first)
    const room = yield* roomAfter(isCut, maxTokens, again, format)
    const next = yield* Effect.result(adapting(again, question, room, course))
    if (Result.isFailure(next)) {
      const whole = isCut && isReply(question) && !isUnwilling(next.failure) ? salvaged(answer.text, format) : null
      if (whole !== null) return whole
      return yield* isCut && isRefused(next.failure) ? unusable("truncated_json", "cut") : next.failure
    }
    const second = next.success
    const parsed = read(second, format)
    const isCutAgain = second.finish === "length"
    if (isCutAgain) yield* noteCut(room)
    const isProse = first.code === "no_json" && parsed.kind === "broken" && parsed.code === "no_json"
    if (isProse && question.inProse !== undefined) return yield* inProse(question, question.inProse, maxTokens, course)
    return parsed.kind === "broken" ? yield* unusable(parsed.code, failureOf(parsed, isCutAgain)) : parsed.value
  })

  const toModelError = ({ reason, code, failure, said }: CallFailed, course: Course) => {
    const notes = notesOf(course)
    return new ModelError({
      reason,
      code,
      failure,
      ...(said !== null && { said }),
      ...(notes.length > 0 && { notes }),
      usage: course.spent === NOTHING ? null : priced(prices, options.model, course.spent)
    })
  }

  return Effect.fn("OpenAi.ask")(function* <A>(question: Question<A>) {
    const course = yield* Ref.make<Course>({ spent: NOTHING, cutAt: null, dropped: 0, isSampled: true, isProse: false })
    const begunAt = yield* Clock.currentTimeMillis
    const forReply = isReply(question)
    const value = yield* converse(question, course).pipe(
      Effect.onInterrupt(() =>
        Effect.gen(function* () {
          const { spent } = yield* Ref.get(course)
          if (forReply) yield* warmUp.cutOff((yield* Clock.currentTimeMillis) - begunAt)
          if (spent !== NOTHING) yield* question.onSpent(priced(prices, options.model, spent))
        })
      ),
      Effect.catch((failure) =>
        Effect.gen(function* () {
          if (failure.code === "timeout" && forReply) yield* warmUp.timedOut
          else if (failure.failure !== "timeout" && failure.failure !== "loading") warmUp.answered()
          yield* condition.failed(failure.code, failure.failure, failure.said, forReply)
          return yield* toModelError(failure, yield* Ref.get(course))
        })
      )
    )
    warmUp.answered()
    yield* condition.worked(forReply)
    const known = yield* Ref.get(course)
    return {
      value,
      usage: priced(prices, options.model, known.spent),
      isSampled: known.isSampled,
      notes: notesOf(known)
    }
  })
})

const NO_JSON =
  "the model has written no JSON several times in a row, so its replies fail; for a small model, set OPENAI_JSON=none"
const PROSE =
  "the model writes no JSON, so replies are requested in plain text, and it decides nothing but their text; " +
  "OPENAI_JSON=none requests the same from the start"
