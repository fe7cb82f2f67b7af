import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import { type ChatMessage, dataBlock, prompt } from "#pipeline/generation/prompt.ts"
import { type Reply, Writer, WriterError, type WriteRequest } from "#pipeline/generation/Writer.ts"
import { makeCall, type OpenAiOptions, type Rung } from "./call.ts"
import { type CallFailed, unusable } from "./failure.ts"
import { parse, type Parsed } from "./parse.ts"
import { NOTHING, plus, priced, type Spent } from "./usage.ts"

const QUOTED_MAX_CHARS = 4_000

/** The conversation again, with the unusable answer and what was wrong with it. */
const repairing = (messages: ReadonlyArray<ChatMessage>, answer: string, problem: Extract<Parsed, { kind: "broken" }>): ReadonlyArray<ChatMessage> => [
  ...messages,
  // An empty assistant message is an error to some servers.
  { role: "assistant", content: answer.trim() === "" ? "(nothing)" : answer.slice(0, QUOTED_MAX_CHARS) },
  { role: "user", content: `${dataBlock("problem", { code: problem.code, detail: problem.detail.slice(0, QUOTED_MAX_CHARS) })}\n\nYour answer could not be used, for the reason above. Send the same reply again as one complete JSON object of the described form, and nothing else.` }
]

/**
 * Asks down a ladder of two rungs: a strict JSON schema, then the schema in the prompt only.
 * The lower one is taken when the server refuses the format, or shows by plain text that it ignores it, and is kept
 * once it has answered: a refusal that had another cause fails on both rungs and teaches nothing.
 * A layer stands for one address and one model, so what it has learned holds for both until the process ends.
 */
const make = Effect.fnUntraced(function*(options: OpenAiOptions) {
  const call = makeCall(options)
  const rung = yield* Ref.make<Rung>("json_schema")

  const ask = Effect.fnUntraced(function*(messages: ReadonlyArray<ChatMessage>, spend: (spent: Spent) => Effect.Effect<void>) {
    const known = yield* Ref.get(rung)
    return yield* call(messages, known, spend).pipe(
      Effect.catch((failure) => failure.format && known === "json_schema"
        ? call(messages, "text", spend).pipe(Effect.tap(() => Ref.set(rung, "text")))
        : Effect.fail(failure))
    )
  })

  const converse = Effect.fnUntraced(function*(request: WriteRequest, total: Ref.Ref<Spent>): Effect.fn.Return<Reply, CallFailed> {
    const spend = (spent: Spent) => Ref.update(total, (sum) => plus(sum, spent))
    const messages = prompt(request)
    const answer = yield* ask(messages, spend)
    const first = parse(answer)
    if (first.kind === "plain") yield* Ref.set(rung, "text")
    if (first.kind !== "broken") return first.reply
    yield* request.onSpent(priced(options.model, yield* Ref.get(total)))
    const second = parse(yield* ask(repairing(messages, answer, first), spend))
    if (second.kind === "reply") return second.reply
    // Plain text after a repair talks about the repair: nothing for the person to read.
    return yield* unusable(second.kind === "plain" ? "no_json" : second.code)
  })

  const write = Effect.fn("OpenAiWriter.write")(function*(request: WriteRequest) {
    const total = yield* Ref.make(NOTHING)
    const reply = yield* converse(request, total).pipe(
      Effect.catch(({ reason, code }) => Effect.flatMap(Ref.get(total), (sum) =>
        Effect.fail(new WriterError({ reason, code, usage: sum === NOTHING ? null : priced(options.model, sum) }))))
    )
    return { reply, usage: priced(options.model, yield* Ref.get(total)) }
  })

  return Writer.of({ engine: "openai-compatible", model: options.model, write })
})

export const layer = (options: OpenAiOptions): Layer.Layer<Writer> => Layer.effect(Writer, make(options))
