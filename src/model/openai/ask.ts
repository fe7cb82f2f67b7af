import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { type ChatMessage, dataBlock } from "#pipeline/chat.ts"
import type { Usage } from "#pipeline/domain/Turn.ts"
import { ModelError } from "#pipeline/ModelError.ts"
import { SpendingLimit } from "#pipeline/SpendingLimit.ts"
import { countUsage } from "../modelMetrics.ts"
import { Prices } from "../prices.ts"
import { makeCall, MAX_TOKENS, type OpenAiOptions, type Sampling } from "./call.ts"
import { type CallFailed, overBudget, unusable } from "./failure.ts"
import type { Format, Rung } from "./Format.ts"
import type { Ladder } from "./ladder.ts"
import { type Broken, parse } from "./parse.ts"
import { mostOf, NOTHING, plus, priced, type Spent } from "./usage.ts"

/** One question to a model. */
export interface Question<A> {
  readonly format: Format<A>
  readonly messages: ReadonlyArray<ChatMessage>
  readonly sampling?: Sampling
  /** Called before each further call, and when the question is cut off, with its cost so far. */
  readonly onSpent: (usage: Usage) => Effect.Effect<void>
}

export interface Answer<A> {
  readonly value: A
  readonly usage: Usage
}

export type Ask = <A>(question: Question<A>) => Effect.Effect<Answer<A>, ModelError>

const QUOTED_MAX_CHARS = 4_000

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

/**
 * Asks one model at one address. An unreadable answer is requested once more, and a second one is a failure: text that
 * should be JSON is never used as text. No call is made that the spending limit does not cover.
 */
export const makeAsk = Effect.fnUntraced(function* (options: OpenAiOptions, ladder: Ladder): Effect.fn.Return<Ask> {
  const prices = yield* Prices
  const call = makeCall(options)

  const once = Effect.fnUntraced(function* (
    messages: ReadonlyArray<ChatMessage>,
    { format, sampling = {} }: Question<unknown>,
    rung: Rung,
    spend: (spent: Spent) => Effect.Effect<void>
  ): Effect.fn.Return<string, CallFailed> {
    const limit = yield* SpendingLimit
    const maxTokens = sampling.maxTokens ?? options.maxTokens ?? MAX_TOKENS
    const most = prices.costMicroUsd(options.model, mostOf(messages, format.schemaBytes, maxTokens))
    const book = (spent: Spent) => {
      const costMicroUsd = prices.costMicroUsd(options.model, spent)
      countUsage(spent, costMicroUsd)
      limit?.spend(costMicroUsd)
      return spend(spent)
    }
    const admit = Effect.suspend(() => (limit === null || limit.covers(most) ? Effect.void : Effect.fail(overBudget())))
    return yield* call(messages, format, rung, { ...sampling, maxTokens }, book, admit)
  })

  const converse = Effect.fnUntraced(function* <A>(
    question: Question<A>,
    total: Ref.Ref<Spent>
  ): Effect.fn.Return<A, CallFailed> {
    const { format, messages, onSpent } = question
    const spend = (spent: Spent) => Ref.update(total, (sum) => plus(sum, spent))
    const plain = format.fromPlainText !== null
    const ask = (messages: ReadonlyArray<ChatMessage>) =>
      plain ? once(messages, question, "text", spend) : ladder.descend((rung) => once(messages, question, rung, spend))
    const answer = yield* ask(messages)
    const first = parse(answer, format)
    if (!plain) yield* ladder.noteAnswer(first.kind === "answer" || first.code !== "no_json")
    if (first.kind !== "broken") return first.value
    yield* onSpent(priced(prices, options.model, yield* Ref.get(total)))
    const second = parse(yield* ask(plain ? messages : repairing(messages, answer, first)), format)
    return second.kind === "broken" ? yield* unusable(second.code) : second.value
  })

  return Effect.fn("OpenAi.ask")(function* <A>(question: Question<A>) {
    const total = yield* Ref.make(NOTHING)
    const value = yield* converse(question, total).pipe(
      Effect.onInterrupt(() =>
        Effect.flatMap(Ref.get(total), (sum) =>
          sum === NOTHING ? Effect.void : question.onSpent(priced(prices, options.model, sum))
        )
      ),
      Effect.catch(({ reason, code }) =>
        Effect.flatMap(Ref.get(total), (sum) =>
          Effect.fail(
            new ModelError({ reason, code, usage: sum === NOTHING ? null : priced(prices, options.model, sum) })
          )
        )
      )
    )
    return { value, usage: priced(prices, options.model, yield* Ref.get(total)) }
  })
})
