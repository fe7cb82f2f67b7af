import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type ChatMessage, dataBlock } from "#pipeline/chat.ts"
import { JSON_FORM, PLAIN_FORM } from "#pipeline/generation/serviceRules.ts"
import { ModelCondition } from "#src/health/ModelCondition.ts"
import { makeAsk, PROSE_NOTE } from "./ask.ts"
import type { OpenAiOptions, Sampling } from "./call.ts"
import type { JsonMode } from "./jsonModes.ts"
import { type Findings, Learned } from "./learned.ts"
import { PLAIN_REPLY, REPLY } from "./replyFormats.ts"

export interface ProbeOptions extends OpenAiOptions {
  readonly json?: JsonMode
  readonly sampling?: Sampling
}

const messagesFor = (form: string): ReadonlyArray<ChatMessage> => [
  { role: "system", content: "You write the next messages of one fictional character, who keeps a lighthouse." },
  {
    role: "user",
    content: `${dataBlock("message", { text: "Good evening!", decisions: ["reply", "withhold"] })}\n\n${form}`
  }
]

/**
 * Asks a model twice, as turns do: for a reply in plain text, and for one with something to decide. Answers are read,
 * repeated and repaired as in a turn. Fails as a turn would. Costs a few hundred tokens.
 */
export const probe = Effect.fnUntraced(function* (options: ProbeOptions) {
  const learned = new Learned(options.json ?? "auto", options.baseUrl)
  const condition = new ModelCondition(options.model, () => ({}))
  const ask = yield* makeAsk(options, learned, condition)
  const common = { onSpent: () => Effect.void, ...(options.sampling !== undefined && { sampling: options.sampling }) }
  const asksPlainly = options.json !== "schema" && options.json !== "object"
  if (asksPlainly) yield* ask({ ...common, format: PLAIN_REPLY, messages: messagesFor(PLAIN_FORM) })
  const { notes } = yield* ask({
    ...common,
    format: REPLY,
    messages: messagesFor(JSON_FORM),
    ...(asksPlainly && { inProse: { format: PLAIN_REPLY, messages: () => messagesFor(PLAIN_FORM) } })
  })
  const findings: Findings = learned.findings(yield* Clock.currentTimeMillis)
  return { ...findings, prose: notes.includes(PROSE_NOTE) }
}, Effect.scoped)
