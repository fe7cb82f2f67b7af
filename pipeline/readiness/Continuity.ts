import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type ChatMessage, DATA_RULE, dataBlock, fitting } from "../chat.ts"
import type { Character } from "../domain/Character.ts"
import type { Usage } from "../domain/Turn.ts"
import type { ModelError } from "../ModelError.ts"
import { type AuthoredText, toldTexts } from "./authoredTexts.ts"
import type { Finding } from "./Readiness.ts"

/** The structured answer: two quotes that cannot both be true. */
export const Contradictions = Schema.Struct({
  contradictions: Schema.Array(Schema.Struct({ one: Schema.String, other: Schema.String, why: Schema.String }))
})
export type Contradictions = typeof Contradictions.Type

interface ContinuityShape {
  readonly read: (
    character: Character
  ) => Effect.Effect<{ readonly found: Contradictions; readonly usage: Usage }, ModelError>
}

/** Port: searches a character's texts for contradictions. An engine without a model has none. */
export const Continuity = Context.Reference<ContinuityShape | null>("pipeline/readiness/Continuity", {
  defaultValue: () => null
})
export type Continuity = ContinuityShape

/** How much of a character is read. The rest of a large world is left out. */
export const READ_MAX_CHARS = 16_000
const MOST = 5

const CONTINUITY_RULES = `You check what the author of a fictional character has written of it for statements that \
cannot both be true, such as two ages, two home towns, or a sibling of an only child.

1. ${DATA_RULE}
2. A character may lie, change its mind and be of two minds: only facts contradict each other. When in doubt, it is \
no contradiction.
3. "one" and "other" are quotes, copied letter by letter out of the texts; "why" says in one short sentence what does \
not go together. At most ${MOST}.

Answer with one JSON object and nothing else:
{"contradictions": [{"one": "quote", "other": "quote", "why": "text"}, ...]}`

export const continuityPrompt = (character: Character): ReadonlyArray<ChatMessage> => [
  { role: "system", content: CONTINUITY_RULES },
  {
    role: "user",
    content: `${dataBlock(
      "texts",
      fitting(
        toldTexts(character).flatMap(({ text }) => (text === "" ? [] : [text])),
        READ_MAX_CHARS
      )
    )}\n\nNow name the contradictions, as the one JSON object described.`
  }
]

const LONGEST_WHY = 300

/**
 * The findings with their paths. Contradictions that the model made up are dropped: both quotes have to occur in the
 * text.
 */
export const toFindings = (character: Character, { contradictions }: Contradictions): ReadonlyArray<Finding> => {
  const texts = toldTexts(character)
  const placeOf = (quote: string): AuthoredText | undefined =>
    quote.trim().length < 3 ? undefined : texts.find(({ text }) => text.includes(quote.trim()))
  return contradictions
    .flatMap(({ one, other, why }): ReadonlyArray<Finding> => {
      const [first, second] = [placeOf(one), placeOf(other)]
      return first === undefined || second === undefined || one.trim() === other.trim()
        ? []
        : [
            {
              path: first.path,
              message: `This contradicts ${second.path}: ${why.slice(0, LONGEST_WHY)}`,
              fix: "Change one of them."
            }
          ]
    })
    .slice(0, MOST)
}
