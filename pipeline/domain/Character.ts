import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const orElse = <S extends Schema.Top>(schema: S, value: S["Encoded"]) => schema.pipe(Schema.withDecodingDefaultKey(Effect.succeed(value)))
const text = orElse(Schema.String, "")
const texts = orElse(Schema.Array(Schema.String), [])

export const Voice = Schema.Struct({
  register: orElse(Schema.Literals(["casual", "neutral", "formal", "poetic", "blunt"]), "neutral"),
  sentence_length: orElse(Schema.Literals(["short", "medium", "long"]), "medium"),
  emoji: orElse(Schema.Literals(["none", "rare", "often"]), "rare"),
  languages: texts,
  signature_phrases: texts,
  max_bubbles: orElse(Schema.Int, 3),
  max_bubble_chars: orElse(Schema.Int, 320),
  narration: orElse(Schema.Literals(["none", "asterisk"]), "none")
})
export type Voice = typeof Voice.Type

export const ExampleTurn = Schema.Struct({ role: Schema.Literals(["user", "character"]), text: Schema.String })
export type ExampleTurn = typeof ExampleTurn.Type

const ExampleDialogue = Schema.Union([
  Schema.Struct({ turns: Schema.Array(ExampleTurn) }),
  Schema.Struct({ user: Schema.String, character: Schema.String })
])

const Persona = Schema.Struct({
  summary: text,
  traits: texts,
  values: texts,
  flaws: texts,
  goals: orElse(Schema.Array(Schema.Struct({ text: Schema.String })), []),
  secrets: orElse(Schema.Array(Schema.Struct({ text: Schema.String, reveal: orElse(Schema.Literals(["never", "trusted", "free"]), "never") })), [])
})

const ForbiddenStyle = Schema.Struct({
  kind: orElse(Schema.Literals(["phrase", "regex", "topic", "behavior"]), "phrase"),
  value: Schema.String,
  action: orElse(Schema.Literals(["rewrite", "block"]), "rewrite")
})
export type ForbiddenStyle = typeof ForbiddenStyle.Type

const Interest = Schema.Union([Schema.String, Schema.Struct({ topic: Schema.String, stance: Schema.optionalKey(Schema.String), detail: Schema.optionalKey(Schema.String) })])

/**
 * What the pipeline reads of a character's authored profile, with the defaults filled in.
 * The wire schema in `src/http` checks every field and its bounds; a field that no stage reads yet is kept there and left out here.
 */
export const Character = Schema.Struct({
  slug: Schema.String,
  display_name: Schema.String,
  visible_bio: text,
  persona: orElse(Persona, {}),
  interests: orElse(Schema.Array(Interest), []),
  voice: orElse(Voice, {}),
  voice_samples: orElse(Schema.Array(Schema.Struct({ text: Schema.String, situation: Schema.optionalKey(Schema.String) })), []),
  example_dialogues: orElse(Schema.Array(ExampleDialogue), []),
  world_context: orElse(Schema.Struct({ summary: text, scene: text }), {}),
  forbidden_style: orElse(Schema.Array(ForbiddenStyle), []),
  fallback_lines: texts,
  offline_lines: orElse(Schema.Record(Schema.String, Schema.Array(Schema.String)), {})
})
export type Character = typeof Character.Type

/** An example dialogue in its one form: a list of turns. */
export const exampleTurns = (dialogue: Character["example_dialogues"][number]): ReadonlyArray<ExampleTurn> =>
  "turns" in dialogue ? dialogue.turns : [{ role: "user", text: dialogue.user }, { role: "character", text: dialogue.character }]
