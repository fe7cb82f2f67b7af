import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Turn, Usage } from "#pipeline/domain/Turn.ts"
import { Writer, type WriteRequest } from "#pipeline/generation/Writer.ts"
import { type PriceList, Prices, tokensIn } from "#src/model/prices.ts"
import { choose } from "./choose.ts"
import { decide } from "./decide.ts"
import { proactiveReply } from "./proactiveReply.ts"
import { prepareRepertoire } from "./repertoire.ts"
import { inSlices } from "#src/db/postgres/inSlices.ts"
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

/** Prepares what the character can say, if that has not been done. Until then, other work goes on. */
const prepare = ({ appId, character }: Turn) => inSlices(appId, () => prepareRepertoire(character))

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
        Effect.map(prepare(request.turn), () => {
          const { proactive } = request.turn
          if (proactive !== undefined) {
            const first = proactiveReply(request, proactive)
            const said =
              first === null
                ? { decision: "withhold" as const, bubbles: [], cited_memory_ids: [] }
                : {
                    decision: "reply" as const,
                    bubbles: first.line.split(BLANK_LINE),
                    cited_memory_ids: first.cites
                  }
            return { reply: { exit_reason: null, ...said }, usage: usageOf(prices, request, first?.line ?? "") }
          }
          const { line, act, cites } = choose(request)
          return {
            reply: { ...decide(request, act), bubbles: line.split(BLANK_LINE), cited_memory_ids: cites },
            usage: usageOf(prices, request, line)
          }
        })
    })
  )
)
