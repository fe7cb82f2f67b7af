import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Usage } from "#pipeline/domain/Turn.ts"
import type { ChatMessage } from "#pipeline/chat.ts"
import { type PriceList, type Tokens, tokensIn } from "#src/model/prices.ts"

/** Total tokens of one or more calls. */
export interface Spent extends Tokens {
  readonly estimated: boolean
}

/** More than any model reads at once. A higher number from a server is ignored, and would not fit into the ledger. */
const MAX_TOKENS = 100_000_000
const TokenCount = Schema.Natural.check(Schema.isLessThanOrEqualTo(MAX_TOKENS))

const decode = Schema.decodeUnknownOption(
  Schema.Struct({
    prompt_tokens: TokenCount,
    completion_tokens: TokenCount,
    prompt_tokens_details: Schema.optionalKey(
      Schema.NullishOr(Schema.Struct({ cached_tokens: Schema.optionalKey(Schema.NullishOr(TokenCount)) }))
    )
  })
)

/** The usage that a server reports, or else an estimate from what was sent and received. */
export const spentOn = (reported: unknown, sent: ReadonlyArray<ChatMessage>, received: string): Spent =>
  Option.match(decode(reported), {
    onSome: (usage) => ({
      inputTokens: usage.prompt_tokens,
      cachedInputTokens: Math.min(usage.prompt_tokens_details?.cached_tokens ?? 0, usage.prompt_tokens),
      outputTokens: usage.completion_tokens,
      estimated: false
    }),
    onNone: () => ({
      inputTokens: tokensIn(sent.reduce((sum, message) => sum + message.content.length, 0)),
      cachedInputTokens: 0,
      outputTokens: tokensIn(received.length),
      estimated: true
    })
  })

export const NOTHING: Spent = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, estimated: false }

export const plus = (one: Spent, other: Spent): Spent => ({
  inputTokens: one.inputTokens + other.inputTokens,
  cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  estimated: one.estimated || other.estimated
})

export const priced = (prices: PriceList, model: string, spent: Spent): Usage => ({
  model,
  ...spent,
  costMicroUsd: prices.costMicroUsd(model, spent),
  ...(prices.sourceOf(model) === "assumed" && { unpriced: true as const })
})

/** Overhead of each message, in bytes. */
const FRAME_BYTES = 16

/** The maximum usage of a call: a token is at least one byte, and the answer is no longer than requested. */
export const mostOf = (sent: ReadonlyArray<ChatMessage>, schemaBytes: number, maxTokens: number): Tokens => ({
  inputTokens: sent.reduce((sum, message) => sum + Buffer.byteLength(message.content) + FRAME_BYTES, schemaBytes),
  cachedInputTokens: 0,
  outputTokens: maxTokens
})
