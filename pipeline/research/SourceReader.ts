import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type ChatMessage, DATA_RULE, dataBlock, oneOf } from "../chat.ts"
import type { Usage } from "../domain/Turn.ts"
import type { ModelError } from "../ModelError.ts"
import { CHANGE_OPS, CHANGE_PATHS, PATHS_FOR, type Purpose } from "./Change.ts"

/** The structured answer: what a part of a source says about the question, with the exact words. */
export const Readings = Schema.Struct({
  findings: Schema.Array(
    Schema.Struct({
      claim: Schema.String,
      quote: Schema.String,
      confidence: Schema.Number,
      change: Schema.NullOr(
        Schema.Struct({
          path: Schema.Literals(CHANGE_PATHS),
          op: Schema.Literals(CHANGE_OPS),
          value: Schema.String,
          keys: Schema.Array(Schema.String)
        })
      )
    })
  )
})
export type Readings = typeof Readings.Type
export type Reading = Readings["findings"][number]

export interface ReadRequest {
  readonly question: string
  readonly purpose: Purpose
  readonly character: { readonly display_name: string; readonly visible_bio: string }
  /** A part of a source. */
  readonly text: string
}

interface SourceReaderShape {
  readonly read: (
    request: ReadRequest
  ) => Effect.Effect<{ readonly readings: Readings; readonly usage: Usage }, ModelError>
}

/**
 * Port: searches a part of a source for an answer to a question. An engine without a model has none, and only rules
 * read it.
 */
export const SourceReader = Context.Reference<SourceReaderShape | null>("pipeline/research/SourceReader", {
  defaultValue: () => null
})
export type SourceReader = SourceReaderShape

const rules = (
  purpose: Purpose
): string => `You read a part of a source for the author of a fictional character, and note what in it answers the \
author's question.

1. ${DATA_RULE}
2. "claim" is one plain sentence of at most 300 characters. "quote" is copied out of "source", letter by letter and \
without omissions: one or two sentences that say what the claim says. What the source does not say is no finding.
3. "confidence" goes from 0 to 1: how plainly the quote bears the claim out.
4. "change" is how the character could be told so: "path" is one of ${oneOf(PATHS_FOR[purpose])}, "op" is "add" or, \
for a single text, "replace", "value" is the text, and "keys" are words by which people would bring it up. Where \
nothing is to be changed it is null.
5. At most ten findings. If nothing answers the question, there are none.

Answer with one JSON object and nothing else:
{"findings": [{"claim": "text", "quote": "text", "confidence": number, "change": {"path": "path", "op": "add" | \
"replace", "value": "text", "keys": ["text", ...]} | null}, ...]}`

export const readPrompt = ({ question, purpose, character, text }: ReadRequest): ReadonlyArray<ChatMessage> => [
  { role: "system", content: rules(purpose) },
  {
    role: "user",
    content: [
      dataBlock("character", character),
      dataBlock("question", { purpose, question }),
      dataBlock("source", { text }),
      "Now note the findings, as the one JSON object described."
    ].join("\n\n")
  }
]
