import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { type ChatMessage, dataBlock } from "#pipeline/chat.ts"
import type { Usage } from "#pipeline/domain/Turn.ts"
import { ModelError } from "#pipeline/ModelError.ts"
import { makeCall, type OpenAiOptions } from "./call.ts"
import { type CallFailed, unusable } from "./failure.ts"
import { type Format, RUNGS } from "./Format.ts"
import { type Broken, parse } from "./parse.ts"
import { NOTHING, plus, priced, type Spent } from "./usage.ts"

/** One structured question to a model. */
export interface Question<A> {
  readonly format: Format<A>
  readonly messages: ReadonlyArray<ChatMessage>
  /** Told before each further call, and when it is cut off, what this question has cost so far. */
  readonly onSpent: (usage: Usage) => Effect.Effect<void>
}

export interface Answer<A> {
  readonly value: A
  readonly usage: Usage
}

export type Ask = <A>(question: Question<A>) => Effect.Effect<Answer<A>, ModelError>

const QUOTED_MAX_CHARS = 4_000

/** The conversation again, with the unusable answer and what was wrong with it. */
const repairing = (messages: ReadonlyArray<ChatMessage>, answer: string, { code, detail }: Broken): ReadonlyArray<ChatMessage> => [
  ...messages,
  // An empty assistant message is an error to some servers.
  { role: "assistant", content: answer.trim() === "" ? "(nothing)" : answer.slice(0, QUOTED_MAX_CHARS) },
  { role: "user", content: `${dataBlock("problem", { code, detail: detail.slice(0, QUOTED_MAX_CHARS) })}\n\nYour answer could not be used, for the reason above. Send the same answer again as one complete JSON object of the described form, and nothing else.` }
]

/**
 * Asks down a ladder: a strict JSON schema, one that is not strict, any JSON object, and the description in the prompt alone.
 * A lower rung is taken when the server refuses the format, or shows by plain text that it ignores it, and is kept
 * once it has answered: a refusal that had another cause fails on all rungs and teaches nothing.
 * An `ask` stands for one address and one model, so what it has learned holds for all questions until the process ends.
 */
export const makeAsk = Effect.fnUntraced(function*(options: OpenAiOptions): Effect.fn.Return<Ask> {
  const call = makeCall(options)
  const lowest = yield* Ref.make(0)

  const descend = (format: Format<unknown>, messages: ReadonlyArray<ChatMessage>, spend: (spent: Spent) => Effect.Effect<void>) => {
    const from = (at: number): Effect.Effect<string, CallFailed> =>
      call(messages, format, RUNGS[at] ?? "text", spend).pipe(
        Effect.tap(() => Ref.update(lowest, (known) => Math.max(known, at))),
        Effect.catch((failure) => failure.format && at + 1 < RUNGS.length ? from(at + 1) : Effect.fail(failure))
      )
    return Effect.flatMap(Ref.get(lowest), from)
  }

  const converse = Effect.fnUntraced(function*<A>({ format, messages, onSpent }: Question<A>, total: Ref.Ref<Spent>): Effect.fn.Return<A, CallFailed> {
    const spend = (spent: Spent) => Ref.update(total, (sum) => plus(sum, spent))
    const answer = yield* descend(format, messages, spend)
    const first = parse(answer, format)
    if (first.kind === "plain" || first.kind === "broken" && first.code === "no_json") yield* Ref.set(lowest, RUNGS.length - 1)
    if (first.kind !== "broken") return first.value
    yield* onSpent(priced(options.model, yield* Ref.get(total)))
    const second = parse(yield* descend(format, repairing(messages, answer, first), spend), format)
    if (second.kind === "answer") return second.value
    // Plain text after a repair talks about the repair: nothing for the person to read.
    return yield* unusable(second.kind === "plain" ? "no_json" : second.code)
  })

  return Effect.fn("OpenAi.ask")(function*<A>(question: Question<A>) {
    const total = yield* Ref.make(NOTHING)
    const value = yield* converse(question, total).pipe(
      Effect.onInterrupt(() => Effect.flatMap(Ref.get(total), (sum) => sum === NOTHING ? Effect.void : question.onSpent(priced(options.model, sum)))),
      Effect.catch(({ reason, code }) => Effect.flatMap(Ref.get(total), (sum) =>
        Effect.fail(new ModelError({ reason, code, usage: sum === NOTHING ? null : priced(options.model, sum) }))))
    )
    return { value, usage: priced(options.model, yield* Ref.get(total)) }
  })
})
