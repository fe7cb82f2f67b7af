import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Usage } from "#pipeline/domain/Turn.ts"
import { Writer, type WriteRequest } from "#pipeline/generation/Writer.ts"
import { memoryId } from "#pipeline/retrieval/Transcript.ts"
import { type PriceList, Prices, tokensIn } from "#src/model/prices.ts"
import { choose } from "./choose.ts"
import { decide } from "./decide.ts"
import { proactiveReply } from "./proactiveReply.ts"
import { OFFLINE_ENGINE } from "#src/model/engineNames.ts"

const BLANK_LINE = /\n\s*\n/

const usageOf = (prices: PriceList, { turn, history }: WriteRequest, line: string): Usage => {
  const readChars = history.reduce((sum, { text }) => sum + text.length, turn.text.length)
  const tokens = { inputTokens: tokensIn(readChars), cachedInputTokens: 0, outputTokens: tokensIn(line.length) }
  return {
    model: OFFLINE_ENGINE,
    ...tokens,
    costMicroUsd: prices.costMicroUsd(OFFLINE_ENGINE, tokens),
    estimated: true
  }
}

/**
 * Replies without a model: picks the best matching authored line. Wherever the engine is shown, it is labelled as
 * offline. The same turn after the same history always gets the same reply.
 */
export const layer: Layer.Layer<Writer> = Layer.effect(
  Writer,
  Effect.map(Prices, (prices) =>
    Writer.of({
      engine: OFFLINE_ENGINE,
      model: OFFLINE_ENGINE,
      write: (request) =>
        Effect.sync(() => {
          const { proactive } = request.turn
          if (proactive !== undefined) {
            const first = proactiveReply(request, proactive)
            const said =
              first === null
                ? { decision: "withhold" as const, bubbles: [], cited_memory_ids: [] }
                : {
                    decision: "reply" as const,
                    bubbles: first.line.split(BLANK_LINE),
                    cited_memory_ids: first.cites.map((cursor) => memoryId({ cursor }))
                  }
            return { reply: { exit_reason: null, ...said }, usage: usageOf(prices, request, first?.line ?? "") }
          }
          const { line, act, cites } = choose(request)
          const cited_memory_ids = cites.map((cursor) => memoryId({ cursor }))
          return {
            reply: { ...decide(request, act), bubbles: line.split(BLANK_LINE), cited_memory_ids },
            usage: usageOf(prices, request, line)
          }
        })
    })
  )
)
