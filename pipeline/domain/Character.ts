import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const orElse = <S extends Schema.Top>(schema: S, value: S["Encoded"]) =>
  schema.pipe(Schema.withDecodingDefaultKey(Effect.succeed(value)))
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
  secrets: orElse(
    Schema.Array(
      Schema.Struct({
        text: Schema.String,
        reveal: orElse(Schema.Literals(["never", "trusted", "free"]), "never"),
        min_trust: orElse(Schema.NullOr(Schema.Number), null)
      })
    ),
    []
  )
})

const ForbiddenStyle = Schema.Struct({
  kind: orElse(Schema.Literals(["phrase", "regex", "topic", "behavior"]), "phrase"),
  value: Schema.String,
  action: orElse(Schema.Literals(["rewrite", "block"]), "rewrite")
})
export type ForbiddenStyle = typeof ForbiddenStyle.Type

const LoreEntry = Schema.Struct({
  id: Schema.optionalKey(Schema.String),
  keys: texts,
  secondary_keys: texts,
  logic: orElse(Schema.Literals(["and_any", "and_all", "not_any", "not_all"]), "and_any"),
  content: Schema.String,
  constant: orElse(Schema.Boolean, false),
  priority: orElse(Schema.Int, 50),
  probability: orElse(Schema.Number, 1),
  sticky_turns: orElse(Schema.Int, 0),
  cooldown_turns: orElse(Schema.Int, 0),
  delay_turns: orElse(Schema.Int, 0),
  min_trust: orElse(Schema.NullOr(Schema.Number), null),
  group: text,
  group_weight: orElse(Schema.Number, 100),
  case_sensitive: orElse(Schema.Boolean, false),
  whole_words: orElse(Schema.Boolean, true),
  enabled: orElse(Schema.Boolean, true)
})
export type LoreEntry = typeof LoreEntry.Type

const BusyTime = Schema.Struct({
  days: orElse(Schema.Array(Schema.Int), [0, 1, 2, 3, 4, 5, 6]),
  from: Schema.String,
  to: Schema.String,
  label: text
})

const LifeRhythm = Schema.Struct({
  timezone: Schema.optionalKey(Schema.String),
  wake: Schema.optionalKey(Schema.String),
  sleep: Schema.optionalKey(Schema.String),
  busy: orElse(Schema.Array(BusyTime), []),
  reply_delay_seconds: Schema.optionalKey(
    Schema.Struct({ min: Schema.optionalKey(Schema.Number), max: Schema.optionalKey(Schema.Number) })
  )
})
export type LifeRhythm = typeof LifeRhythm.Type

const Safety = Schema.Struct({
  age_band: orElse(Schema.Literals(["adult", "teen", "child"]), "adult"),
  content_rating: orElse(Schema.Literals(["general", "teen", "mature"]), "general"),
  ai_disclosure: orElse(Schema.Literals(["explicit", "when_asked"]), "when_asked"),
  crisis_locale: Schema.optionalKey(Schema.String)
})

const Dimension = Schema.Struct({
  key: Schema.String,
  label: Schema.optionalKey(Schema.String),
  start: orElse(Schema.Number, 0.3),
  baseline: Schema.optionalKey(Schema.Number),
  lower_is_open: orElse(Schema.Boolean, false),
  max_delta_per_turn: orElse(Schema.Number, 0.05),
  half_life_days: orElse(Schema.NullOr(Schema.Number), null)
})
export type Dimension = typeof Dimension.Type

const RelationshipPosture = Schema.Struct({
  schema: orElse(Schema.Literals(["friendship", "dating", "mentor", "rivalry", "custom"]), "friendship"),
  pace: orElse(Schema.Literals(["slow", "medium", "fast"]), "medium"),
  dimensions: orElse(Schema.Array(Dimension), []),
  boundaries: texts
})
export type RelationshipPosture = typeof RelationshipPosture.Type

const BaselineEmotion = Schema.Struct({
  label: orElse(Schema.String, "neutral"),
  valence: orElse(Schema.Number, 0),
  arousal: orElse(Schema.Number, 0),
  recovery_half_life_minutes: orElse(Schema.Number, 180)
})

/**
 * The fields of contract 2.6. A field that the session does not set falls back to the character. Null: neither sets it.
 */
export const ProactiveControls = Schema.Struct({
  proactive_enabled: orElse(Schema.NullOr(Schema.Boolean), null),
  proactivity_tolerance: orElse(Schema.NullOr(Schema.Number), null),
  cold_initiate_enabled: orElse(Schema.NullOr(Schema.Boolean), null),
  session_resume_enabled: orElse(Schema.NullOr(Schema.Boolean), null),
  cold_initiate_min_idle_minutes: orElse(Schema.NullOr(Schema.Int), null),
  session_resume_min_idle_minutes: orElse(Schema.NullOr(Schema.Int), null),
  session_resume_max_unanswered_character_turns: orElse(Schema.NullOr(Schema.Int), null),
  min_gap_between_initiate_minutes: orElse(Schema.NullOr(Schema.Int), null),
  daily_initiate_cap: orElse(Schema.NullOr(Schema.Int), null)
})
export type ProactiveControls = typeof ProactiveControls.Type

const BehavioralThresholds = Schema.Struct({
  ...ProactiveControls.fields,
  withhold: orElse(Schema.Number, 0),
  exit: orElse(Schema.Number, 0),
  disclosure: orElse(Schema.Number, 0.5)
})

/** How a model samples the character's words. Overrides the operator's settings. */
const Generation = Schema.Struct({
  temperature: Schema.optionalKey(Schema.Number),
  max_tokens: Schema.optionalKey(Schema.Int),
  frequency_penalty: Schema.optionalKey(Schema.Number),
  presence_penalty: Schema.optionalKey(Schema.Number)
})

const Interest = Schema.Union([
  Schema.String,
  Schema.Struct({
    topic: Schema.String,
    stance: Schema.optionalKey(Schema.String),
    detail: Schema.optionalKey(Schema.String)
  })
])

/**
 * The part of a character's authored profile that the pipeline reads, with defaults filled in. The wire schema in
 * `src/http` checks every field and its bounds. It also keeps fields that no stage reads yet, which are left out here.
 */
export const Character = Schema.Struct({
  slug: Schema.String,
  display_name: Schema.String,
  visible_bio: text,
  persona: orElse(Persona, {}),
  interests: orElse(Schema.Array(Interest), []),
  voice: orElse(Voice, {}),
  voice_samples: orElse(
    Schema.Array(Schema.Struct({ text: Schema.String, situation: Schema.optionalKey(Schema.String) })),
    []
  ),
  example_dialogues: orElse(Schema.Array(ExampleDialogue), []),
  forbidden_style: orElse(Schema.Array(ForbiddenStyle), []),
  life_rhythm: orElse(LifeRhythm, {}),
  world_context: orElse(
    Schema.Struct({ summary: text, scene: text, entries: orElse(Schema.Array(LoreEntry), []) }),
    {}
  ),
  relationship_posture: orElse(RelationshipPosture, {}),
  baseline_emotion: orElse(BaselineEmotion, {}),
  behavioral_thresholds: orElse(BehavioralThresholds, {}),
  generation: orElse(Generation, {}),
  safety: orElse(Safety, {}),
  fallback_lines: texts,
  offline_lines: orElse(Schema.Record(Schema.String, Schema.Array(Schema.String)), {})
})
export type Character = typeof Character.Type

/** An example dialogue in its single normalized form: a list of turns. */
export const exampleTurns = (dialogue: Character["example_dialogues"][number]): ReadonlyArray<ExampleTurn> =>
  "turns" in dialogue
    ? dialogue.turns
    : [
        { role: "user", text: dialogue.user },
        { role: "character", text: dialogue.character }
      ]
