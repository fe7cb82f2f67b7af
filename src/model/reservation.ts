import * as Context from "effect/Context"
import { dataBlock } from "#pipeline/chat.ts"
import type { ReplyMode } from "#pipeline/domain/Turn.ts"
import { AROUND_MAX_CHARS } from "#pipeline/generation/blockLimits.ts"
import { MAX_TEXT_CHARS } from "./Embedder.ts"
import type { PriceList } from "./prices.ts"

/**
 * The amount that is reserved for a unit of work before it begins. For a turn it grows with the length of the message
 * and of the character, because most calls contain both. It is also the maximum that the turn may spend: SpendingLimit
 * allows no call that would not fit.
 */

/** The models used in a turn, and the maximum length of their answers in tokens. */
export interface EngineModels {
  readonly model: string
  readonly analyzeModel: string
  /** False: no model analyzes messages or extracts memories. */
  readonly analyzes: boolean
  readonly maxTokens: number
  /** Embeds the message, to search by meaning. Null: nothing is embedded. */
  readonly embedModel?: string | null
}

/** The offline engine is free, so its answers need no limit. */
export const OFFLINE_MODELS: EngineModels = {
  model: "offline-retrieval.v1",
  analyzeModel: "offline-retrieval.v1",
  analyzes: false,
  maxTokens: 0
}

/** The models that this process replies with. */
export const ConfiguredModels = Context.Reference<EngineModels>("src/model/ModelCast", {
  defaultValue: () => OFFLINE_MODELS
})

/** Minimum length limit for answers that are notes and not text of the character. */
export const NOTES_MAX_TOKENS = 1_500
export const notesTokens = (maxTokens: number): number => Math.max(maxTokens, NOTES_MAX_TOKENS)

/** What a turn's price depends on: its reply mode, or that it is proactive. */
export type TurnKind = ReplyMode | "proactive"

/**
 * Lower than the average over languages and scripts, so that reservations are too large rather than too small. The
 * maximum cost of a call counts one byte per token.
 */
const BYTES_PER_TOKEN = 3

/**
 * Size in bytes of rules, markup, schema and every block with its own limit. The message and the character are added.
 */
const ANALYZE_BYTES = 9_000
const GENERATE_BYTES = 23_000 + AROUND_MAX_CHARS
const CRITIC_BYTES = 8_000
const UPDATE_BYTES = 18_000

interface Call {
  readonly by: "model" | "analyzeModel"
  readonly bytes: number
  readonly carriesMessage: boolean
  readonly carriesCharacter: boolean
  readonly notes: boolean
}
const analyze: Call = {
  by: "analyzeModel",
  bytes: ANALYZE_BYTES,
  carriesMessage: true,
  carriesCharacter: true,
  notes: true
}
const generate: Call = {
  by: "model",
  bytes: GENERATE_BYTES,
  carriesMessage: true,
  carriesCharacter: true,
  notes: false
}
const critic: Call = { by: "model", bytes: CRITIC_BYTES, carriesMessage: true, carriesCharacter: true, notes: true }
const rewrite: Call = { by: "model", bytes: CRITIC_BYTES, carriesMessage: true, carriesCharacter: true, notes: false }
const update: Call = {
  by: "analyzeModel",
  bytes: UPDATE_BYTES,
  carriesMessage: true,
  carriesCharacter: false,
  notes: true
}

/** A draft, another one if it was unusable or the model failed, and another one if the gates refused it. */
const drafts = [generate, generate, generate]
const plan: Record<TurnKind, ReadonlyArray<Call>> = {
  fast: [analyze, ...drafts],
  deep: [analyze, ...drafts, critic, rewrite],
  proactive: drafts
}
/** What a limited turn can pay for even if every byte is a token, so that SpendingLimit allows these calls. */
const assured: Record<TurnKind, ReadonlyArray<Call>> = {
  fast: [analyze, generate],
  deep: [analyze, generate],
  proactive: [generate]
}
/** What most turns need. */
export const usual: Record<TurnKind, ReadonlyArray<Call>> = {
  fast: [analyze, generate, update],
  deep: [analyze, generate, critic, update],
  proactive: [generate]
}

/** Micro-USD for a turn: the fixed part, and what each million bytes of its message and its character add. */
interface Rate {
  readonly fixed: number
  readonly perMessageMegabyte: number
  readonly perCharacterMegabyte: number
}

/** The rate of these calls. */
export const rateOf = (
  prices: PriceList,
  cast: EngineModels,
  calls: ReadonlyArray<Call>,
  bytesPerToken: number = BYTES_PER_TOKEN
): Rate => {
  const sum = (of: (call: Call) => number) =>
    calls.filter(({ by }) => by === "model" || cast.analyzes).reduce((total, call) => total + of(call), 0)
  const input = (call: Call) => prices.priceOf(cast[call.by]).input / bytesPerToken
  return {
    fixed: Math.ceil(
      sum(
        (call) =>
          (call.bytes * input(call)) / 1_000_000 +
          ((call.notes ? notesTokens(cast.maxTokens) : cast.maxTokens) * prices.priceOf(cast[call.by]).output) /
            1_000_000
      )
    ),
    perMessageMegabyte: Math.ceil(sum((call) => (call.carriesMessage ? input(call) : 0))),
    perCharacterMegabyte: Math.ceil(sum((call) => (call.carriesCharacter ? input(call) : 0)))
  }
}

/** The rate of these calls, at least that of the assured ones at their maximum cost. */
const assuring = (
  prices: PriceList,
  cast: EngineModels,
  calls: ReadonlyArray<Call>,
  assuredCalls: ReadonlyArray<Call>
): Rate => {
  const usual = rateOf(prices, cast, calls)
  const most = rateOf(prices, cast, assuredCalls, 1)
  return {
    fixed: Math.max(usual.fixed, most.fixed),
    perMessageMegabyte: Math.max(usual.perMessageMegabyte, most.perMessageMegabyte),
    perCharacterMegabyte: Math.max(usual.perCharacterMegabyte, most.perCharacterMegabyte)
  }
}

/** In whole micro-USD. */
export interface Reservation {
  /** For the turn until it ends. */
  readonly turn: number
  /** For memory extraction afterwards. Kept until extraction is done. */
  readonly reading: number
  /** What a million bytes of the character's profile add to `turn`. */
  readonly perCharacterMegabyte: number
}

export type Reserve = (kind: TurnKind, text: string) => Reservation

const messageBytes = (text: string): number => Buffer.byteLength(dataBlock("message", { text }))

/** The tokens that a model adds to each text, such as its beginning and its end. */
const TEXT_FRAME_TOKENS = 16
/** The maximum cost of embedding texts with this many bytes: a token is at least one byte. */
export const embeddingMicroUsd = (prices: PriceList, model: string, textBytes: ReadonlyArray<number>): number =>
  prices.costMicroUsd(model, {
    inputTokens: textBytes.reduce((sum, bytes) => sum + bytes + TEXT_FRAME_TOKENS, 0),
    cachedInputTokens: 0,
    outputTokens: 0
  })
/** A UTF-16 unit is at most three bytes. */
export const LONGEST_TEXT_BYTES = 3 * MAX_TEXT_CHARS

/** The reservations for turns with these models. */
export const reserving = (prices: PriceList, cast: EngineModels): Reserve => {
  const rates = {
    fast: assuring(prices, cast, plan.fast, assured.fast),
    deep: assuring(prices, cast, plan.deep, assured.deep),
    proactive: assuring(prices, cast, plan.proactive, assured.proactive)
  }
  // Extraction by rules is free.
  const extraction = cast.analyzes ? [update] : []
  const reading = assuring(prices, cast, extraction, extraction)
  const embedding =
    typeof cast.embedModel === "string" ? embeddingMicroUsd(prices, cast.embedModel, [LONGEST_TEXT_BYTES]) : 0
  // Free calls need no measuring.
  const isFree = (rate: Rate) => rate.fixed === 0 && rate.perMessageMegabyte === 0
  const amount = (rate: Rate, bytes: number) => rate.fixed + Math.ceil((rate.perMessageMegabyte * bytes) / 1_000_000)
  return (kind, text) => {
    const rate = rates[kind]
    const bytes = isFree(rate) && isFree(reading) ? 0 : messageBytes(text)
    return {
      turn: amount(rate, bytes) + embedding,
      reading: kind === "proactive" ? 0 : amount(reading, bytes),
      perCharacterMegabyte: rate.perCharacterMegabyte
    }
  }
}

/** A typical size of a character. */
export const TYPICAL_CHARACTER_BYTES = 12_000

/** The total of a reservation, for a character of this many bytes. */
export const totalOf = (
  { turn, reading, perCharacterMegabyte }: Reservation,
  characterBytes: number = TYPICAL_CHARACTER_BYTES
): number => turn + reading + Math.ceil((perCharacterMegabyte * characterBytes) / 1_000_000)

const JUDGE_BYTES = 30_000
const CONTINUITY_BYTES = 24_000
const SOURCE_BYTES = 6_000
const callMicroUsd = (prices: PriceList, model: string, bytes: number, maxTokens: number): number =>
  prices.costMicroUsd(model, {
    inputTokens: Math.ceil(bytes / BYTES_PER_TOKEN),
    cachedInputTokens: 0,
    outputTokens: maxTokens
  })

/** The maximum cost of these messages of an eval to a character of this size, and of the questions to the judge. */
export const evalMicroUsd = (prices: PriceList, cast: EngineModels) => {
  const reserve = reserving(prices, cast)
  return (mode: ReplyMode, messages: ReadonlyArray<string>, questions: number, characterBytes: number): number =>
    messages.reduce((sum, text) => sum + totalOf(reserve(mode, text), characterBytes), 0) +
    questions * callMicroUsd(prices, cast.model, JUDGE_BYTES, notesTokens(cast.maxTokens))
}

/**
 * The maximum cost of a probe with these messages: the turns, and one check for contradictions. There is no memory
 * extraction.
 */
export const probeMicroUsd = (
  prices: PriceList,
  cast: EngineModels,
  messages: ReadonlyArray<string>,
  characterBytes: number
): number => {
  const reserve = reserving(prices, cast)
  return (
    messages.reduce((sum, text) => sum + totalOf({ ...reserve("fast", text), reading: 0 }, characterBytes), 0) +
    callMicroUsd(prices, cast.model, CONTINUITY_BYTES, notesTokens(cast.maxTokens))
  )
}

/** How much of a source is read at once, in UTF-16 units. */
export const PART_CHARS = 24_000
/** The maximum cost of reading a part of a source: the model may be asked twice. */
export const readingMicroUsd = (prices: PriceList, cast: EngineModels, text: string): number =>
  2 *
  callMicroUsd(
    prices,
    cast.model,
    SOURCE_BYTES + Buffer.byteLength(dataBlock("source", { text })),
    notesTokens(cast.maxTokens)
  )
