import type { ReplyMode, Usage } from "#pipeline/domain/Turn.ts"
import { AROUND_MAX_CHARS } from "#pipeline/generation/prompt.ts"

interface Price {
  readonly input: number
  readonly cached: number
  readonly output: number
}

const usd = (input: number, cached: number, output: number): Price => ({
  input: Math.round(input * 1_000_000),
  cached: Math.round(cached * 1_000_000),
  output: Math.round(output * 1_000_000)
})

/** Names the table below: a new one with every change of a price, so that what was booked says by which prices. */
export const PRICE_VERSION = "2026-11-21"

/** List prices in micro-USD per million tokens, written in USD. */
const prices: ReadonlyMap<string, Price> = new Map([
  ["gpt-5.5", usd(5, 0.5, 30)],
  ["gpt-5.4", usd(2.5, 0.25, 15)],
  ["gpt-5.4-mini", usd(0.75, 0.075, 4.5)],
  ["gpt-5.4-nano", usd(0.2, 0.02, 1.25)],
  ["gpt-5.1", usd(1.25, 0.125, 10)],
  ["gpt-5", usd(1.25, 0.125, 10)],
  ["gpt-5-mini", usd(0.25, 0.025, 2)],
  ["gpt-5-nano", usd(0.05, 0.005, 0.4)],
  ["gpt-4.1", usd(2, 0.5, 8)],
  ["gpt-4.1-mini", usd(0.4, 0.1, 1.6)],
  ["gpt-4.1-nano", usd(0.1, 0.025, 0.4)],
  ["gpt-4o", usd(2.5, 1.25, 10)],
  ["gpt-4o-mini", usd(0.15, 0.075, 0.6)],
  // Costs nobody anything; priced so that budgets and ledgers work the same without a key.
  ["offline-retrieval.v1", usd(0.01, 0.01, 0.04)]
])

/** For a model that is not in the table: rather too much than too little, since a budget must hold. */
const UNKNOWN = usd(2.5, 2.5, 15)

/** A dated release (`gpt-5-mini-2025-08-07`) costs what its family costs. */
const priceOf = (model: string): Price => prices.get(model) ?? prices.get(model.replace(/-\d{4}-\d{2}-\d{2}$/, "")) ?? UNKNOWN

export type Tokens = Pick<Usage, "inputTokens" | "cachedInputTokens" | "outputTokens">

/** Whole micro-USD, rounded up. Cached tokens are a part of the input tokens. */
export const costMicroUsd = (model: string, tokens: Tokens): number => {
  const price = priceOf(model)
  const cached = Math.min(tokens.cachedInputTokens, tokens.inputTokens)
  return Math.ceil(((tokens.inputTokens - cached) * price.input + cached * price.cached + tokens.outputTokens * price.output) / 1_000_000)
}

/** List prices in USD per minute of what is listened to. */
const minutes: ReadonlyMap<string, number> = new Map([["gpt-4o-transcribe", 0.006], ["gpt-4o-mini-transcribe", 0.003], ["whisper-1", 0.006]])
const UNKNOWN_MINUTE = 0.006

/** Whole micro-USD, rounded up. */
export const transcriptionMicroUsd = (model: string, seconds: number): number => Math.ceil((minutes.get(model) ?? UNKNOWN_MINUTE) * 1_000_000 * seconds / 60)

/** List prices in USD for a picture of medium quality: square, and longer than that. */
const pictures: ReadonlyMap<string, readonly [square: number, long: number]> = new Map([
  ["gpt-image-1", [0.042, 0.063]], ["gpt-image-1-mini", [0.011, 0.015]], ["gpt-image-1.5", [0.034, 0.05]], ["dall-e-3", [0.04, 0.08]], ["dall-e-2", [0.02, 0.02]],
  // Costs nobody anything; priced like the offline engine.
  ["offline-placeholder.v1", [0.0001, 0.0001]]
])
const UNKNOWN_PICTURE = [0.08, 0.08] as const

/** Whole micro-USD. */
export const imageMicroUsd = (model: string, size: "square" | "portrait" | "landscape"): number => {
  const [square, long] = pictures.get(model) ?? UNKNOWN_PICTURE
  return Math.round((size === "square" ? square : long) * 1_000_000)
}

const CHARS_PER_TOKEN = 4

/** About how many tokens a text is, for engines that do not say. */
export const tokensIn = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN)

const call = (inputTokens: number, outputTokens: number): Tokens => ({ inputTokens, cachedInputTokens: 0, outputTokens })

/** Tokens planned per call (pipeline.md 7). */
const analyze = call(1_200, 150)
const generate = call(3_500, 200)
const critic = call(2_500, 250)
const rewrite = call(3_000, 200)
const update = call(2_500, 350)

/** What a turn is planned and priced by: the mode of a reply, or that it is one by which the character writes first. */
export type TurnKind = ReplyMode | "proactive"

/** With all that there may be of the character's world and its sources besides. */
const generateAmidAll = call(generate.inputTokens + tokensIn(AROUND_MAX_CHARS), generate.outputTokens)

/** A turn is generated twice at most: emission may send a draft back once. Of a turn without a message there is nothing to be read. */
const plan: Record<TurnKind, ReadonlyArray<Tokens>> = {
  fast: [analyze, generateAmidAll, generateAmidAll, update],
  deep: [analyze, generateAmidAll, critic, rewrite, generateAmidAll, update],
  proactive: [generateAmidAll, generateAmidAll]
}

/** What most turns take: nothing is sent back or written again, and little of the world bears on them. */
const usual: Record<TurnKind, ReadonlyArray<Tokens>> = { fast: [analyze, generate, update], deep: [analyze, generate, critic, update], proactive: [generate] }

/** What a turn may cost at most by plan: held when it is accepted, settled to the actual cost when it ends. */
export const worstCaseMicroUsd = (model: string, kind: TurnKind, analyzeModel = model): number =>
  plan[kind].reduce((sum, tokens) => sum + costMicroUsd(tokens === analyze ? analyzeModel : model, tokens), 0)

/** What a question to a judge of evals is planned to take. */
const judge = call(5_000, 150)

/** What so many turns of an eval, and questions to a judge about them, may cost at most by plan. */
export const worstEvalMicroUsd = (model: string, mode: ReplyMode, turns: number, questions: number, analyzeModel = model): number =>
  turns * worstCaseMicroUsd(model, mode, analyzeModel) + questions * costMicroUsd(model, judge)

/** What a rehearsal of so many turns may cost at most: they, and one look at what contradicts itself. */
export const probeMicroUsd = (model: string, turns: number, analyzeModel = model): number =>
  turns * worstCaseMicroUsd(model, "fast", analyzeModel) + costMicroUsd(model, call(6_000, 500))
/** Of a source, what is read at once, in UTF-16 units. */
export const PART_CHARS = 24_000
/** What reading a part of a source may cost at most: a model may be asked twice. */
export const readingMicroUsd = (model: string, chars: number): number => 2 * costMicroUsd(model, call(tokensIn(chars) + 1_000, 1_200))
/** About what a turn costs. */
const estimateMicroUsd = (model: string, kind: TurnKind): number => usual[kind].reduce((sum, tokens) => sum + costMicroUsd(model, tokens), 0)

/** What a message costs with this model, and the list that it is reckoned by; all in micro-USD, the list for a million tokens. */
export const ratesOf = (model: string) => ({
  priceVersion: PRICE_VERSION,
  /** Of an eval: a turn as its mode has it, of which this is the fast one. */
  evalTurn: { worst: worstEvalMicroUsd(model, "fast", 1, 0), estimate: estimateMicroUsd(model, "fast") },
  messages: (["fast", "deep", "proactive"] as const).map((kind) => ({ kind: kind === "proactive" ? kind : `message_${kind}` as const, worst: worstCaseMicroUsd(model, kind), estimate: estimateMicroUsd(model, kind) })),
  tokens: [...prices].map(([name, { input, cached, output }]) => ({ model: name, input, cached, output }))
})
