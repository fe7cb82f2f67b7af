import { type PriceList, tokensIn } from "./prices.ts"
import {
  embeddingMicroUsd,
  type EngineModels,
  LONGEST_TEXT_BYTES,
  rateOf,
  reserving,
  totalOf,
  type TurnKind,
  TYPICAL_CHARACTER_BYTES,
  usual
} from "./reservation.ts"

const TYPICAL_MESSAGE = "x".repeat(200)
/** Length of a typical answer. */
const ANSWER_TOKENS = 250

/** The approximate cost of a turn: a third of the prompt limit, and short answers. */
const estimateMicroUsd = (prices: PriceList, cast: EngineModels, kind: TurnKind): number => {
  const { fixed, perMessageMegabyte, perCharacterMegabyte } = rateOf(prices, { ...cast, maxTokens: 0 }, usual[kind])
  const answers = usual[kind]
    .filter(({ by }) => by === "model" || cast.analyzes)
    .reduce((sum, { by }) => sum + (ANSWER_TOKENS * prices.priceOf(cast[by]).output) / 1_000_000, 0)
  return Math.ceil(
    fixed / 3 +
      (perMessageMegabyte * TYPICAL_MESSAGE.length + perCharacterMegabyte * TYPICAL_CHARACTER_BYTES) / 1_000_000 +
      answers
  )
}

/**
 * The cost of a message with these models, in micro-USD: the reservation for a short message to a character of typical
 * size, and the approximate actual cost.
 */
export const ratesOf = (prices: PriceList, cast: EngineModels) => {
  const reserve = reserving(prices, cast)
  const worst = (kind: TurnKind) => totalOf(reserve(kind, TYPICAL_MESSAGE))
  const estimate = (kind: TurnKind) => estimateMicroUsd(prices, cast, kind)
  const { embedModel } = cast
  return {
    /** A text for the model of embeddings: the longest one, and a typical one. Null: there is no such model. */
    embedding:
      typeof embedModel === "string"
        ? {
            model: embedModel,
            worst: embeddingMicroUsd(prices, embedModel, [LONGEST_TEXT_BYTES]),
            estimate: prices.costMicroUsd(embedModel, {
              inputTokens: tokensIn(TYPICAL_MESSAGE.length),
              cachedInputTokens: 0,
              outputTokens: 0
            })
          }
        : null,
    evalTurn: { worst: worst("fast"), estimate: estimate("fast") },
    messages: (["fast", "deep", "proactive"] as const).map((kind) => ({
      kind: kind === "proactive" ? kind : (`message_${kind}` as const),
      worst: worst(kind),
      estimate: estimate(kind)
    }))
  }
}
