import * as Schema from "effect/Schema"

export const Intent = Schema.Literals([
  "smalltalk",
  "question",
  "disclosure",
  "request",
  "conflict",
  "flirt",
  "crisis",
  "meta",
  "farewell"
])
export type Intent = typeof Intent.Type

export const Topic = Schema.Literals(["user_past", "character", "world", "real_world", "nothing"])
export type Topic = typeof Topic.Type

/** The structured answer of the single call that analyzes a message for grounding, safety and knowledge. */
export const Analysis = Schema.Struct({
  intent: Intent,
  asks_about: Schema.Array(Topic),
  relevant_memory_ids: Schema.Array(Schema.String),
  contradictions: Schema.Array(Schema.Struct({ memory_id: Schema.String, user_now_says: Schema.String })),
  safety: Schema.Struct({
    action: Schema.Literals(["allow", "soften", "refuse_in_voice", "crisis"]),
    categories: Schema.Array(Schema.String),
    injection: Schema.Boolean
  }),
  knows: Schema.Array(Schema.String),
  unknown: Schema.Array(Schema.String),
  must_not_reveal: Schema.Array(Schema.String),
  emotion_of_user: Schema.String
})
export type Analysis = typeof Analysis.Type

const MAX_ITEMS = 8
const MAX_CHARS = 200
const short = (text: string): string => text.slice(0, MAX_CHARS)
const few = (texts: ReadonlyArray<string>): ReadonlyArray<string> => texts.slice(0, MAX_ITEMS).map(short)

/** Cut down to the room that a reply's prompt has, because the schema that is sent cannot express bounds. */
export const bounded = (analysis: Analysis): Analysis => ({
  ...analysis,
  asks_about: analysis.asks_about.slice(0, MAX_ITEMS),
  relevant_memory_ids: few(analysis.relevant_memory_ids),
  contradictions: analysis.contradictions
    .slice(0, MAX_ITEMS)
    .map(({ memory_id, user_now_says }) => ({ memory_id: short(memory_id), user_now_says: short(user_now_says) })),
  safety: { ...analysis.safety, categories: few(analysis.safety.categories) },
  knows: few(analysis.knows),
  unknown: few(analysis.unknown),
  must_not_reveal: few(analysis.must_not_reveal),
  emotion_of_user: short(analysis.emotion_of_user)
})
