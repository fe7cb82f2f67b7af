import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Usage } from "#pipeline/domain/Turn.ts"
import type { ChatMessage } from "#pipeline/chat.ts"
import { type PriceList, type Tokens, tokensIn } from "#src/model/prices.ts"

/** Tokens of one or more calls of one write. */
export interface Spent extends Tokens {
  readonly estimated: boolean
}

/**
 * Beyond what any model reads at once. A server that says more is not believed, nor could the books of a turn hold it.
 */
const MOST_TOKENS = 100_000_000
const TokenCount = Schema.Natural.check(Schema.isLessThanOrEqualTo(MOST_TOKENS))

const decode = Schema.decodeUnknownOption(
  Schema.Struct({
    prompt_tokens: TokenCount,
    completion_tokens: TokenCount,
    prompt_tokens_details: Schema.optionalKey(
      Schema.NullishOr(Schema.Struct({ cached_tokens: Schema.optionalKey(Schema.NullishOr(TokenCount)) }))
    )
  })
)

/** What a server says that a call took, or else an estimate from what was sent and came back. */
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

/** Of the frame around each message, in bytes. */
const FRAME_BYTES = 16

/** The most that a call can take: no token is less than a byte, and no answer is longer than was asked for. */
export const mostOf = (sent: ReadonlyArray<ChatMessage>, schemaBytes: number, maxTokens: number): Tokens => ({
  inputTokens: sent.reduce((sum, message) => sum + Buffer.byteLength(message.content) + FRAME_BYTES, schemaBytes),
  cachedInputTokens: 0,
  outputTokens: maxTokens
})
