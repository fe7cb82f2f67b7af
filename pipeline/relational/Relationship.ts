import * as Schema from "effect/Schema"

/** What a character has learned about a person and how they relate, in one session. */

/** Where something was said: its cursor on the log and the quoted words. */
export const Evidence = Schema.Struct({ cursor: Schema.Int, quote: Schema.String })
export type Evidence = typeof Evidence.Type

export const MemoryKind = Schema.Literals([
  "fact",
  "preference",
  "event",
  "relationship",
  "promise",
  "boundary",
  "emotion",
  "reflection"
])
export const MemorySubject = Schema.Literals(["user", "character", "third_party"])
export const MemoryStatus = Schema.Literals(["active", "superseded", "quarantined", "forgotten"])
export const MemorySource = Schema.Literals(["extracted", "app", "user_request", "import"])

/** Somebody other than the two: by name, by relation to the person ("sister"), or both. */
export const About = Schema.Struct({ name: Schema.NullOr(Schema.String), relation: Schema.NullOr(Schema.String) })
export type About = typeof About.Type

/** Times are ISO 8601 in UTC. */
export const Memory = Schema.Struct({
  id: Schema.String,
  kind: MemoryKind,
  subject: MemorySubject,
  /** Whom it is about, if that is neither of the two and is known. */
  about: Schema.NullOr(About),
  /** At most 500 characters. Empty once it is forgotten. */
  text: Schema.String,
  /** 1 to 10. */
  importance: Schema.Int,
  /** 0 to 1. */
  confidence: Schema.Number,
  pinned: Schema.Boolean,
  status: MemoryStatus,
  valid_at: Schema.String,
  invalid_at: Schema.NullOr(Schema.String),
  supersedes_id: Schema.NullOr(Schema.String),
  linked_ids: Schema.Array(Schema.String),
  evidence: Schema.Array(Evidence),
  source: MemorySource,
  /** For a forgotten memory, the hash of its words. */
  tombstone: Schema.NullOr(Schema.String),
  recall_count: Schema.Int,
  last_recalled_at: Schema.NullOr(Schema.String),
  created_at: Schema.String
})
export type Memory = typeof Memory.Type

export const LoopKind = Schema.Literals(["question", "promise", "plan", "event_followup", "conflict"])
export const LoopOwner = Schema.Literals(["user", "character"])
export const LoopStatus = Schema.Literals(["open", "surfaced", "resolved", "expired", "dismissed"])

/** An open topic between the two, to be taken up again. */
export const OpenLoop = Schema.Struct({
  id: Schema.String,
  kind: LoopKind,
  owner: LoopOwner,
  /** At most 300 characters. */
  text: Schema.String,
  due_at: Schema.NullOr(Schema.String),
  /** 1 to 5, 5 is the most urgent. */
  priority: Schema.Int,
  status: LoopStatus,
  evidence: Schema.Array(Evidence),
  created_at: Schema.String,
  updated_at: Schema.String
})
export type OpenLoop = typeof OpenLoop.Type

/** Whether a loop is still waiting. */
export const isWaiting = ({ status }: OpenLoop): boolean => status === "open" || status === "surfaced"

export const Emotion = Schema.Struct({
  label: Schema.String,
  valence: Schema.Number,
  arousal: Schema.Number,
  updated_at: Schema.String
})
export type Emotion = typeof Emotion.Type

/** A score as of its last change. Readers compute the drift since then: see scores.ts. */
export const Score = Schema.Struct({ key: Schema.String, value: Schema.Number, updated_at: Schema.String })
export type Score = typeof Score.Type

export const PreferenceSource = Schema.Literals(["explicit", "inferred", "app"])

/** How a person wants to receive unprompted messages. A field without a source was never set. */
export const Preferences = Schema.Struct({
  opted_out: Schema.Boolean,
  /** Local times "HH:MM". */
  preferred_hours: Schema.Array(Schema.Struct({ from: Schema.String, to: Schema.String })),
  timezone: Schema.NullOr(Schema.String),
  frequency: Schema.Literals(["less", "normal", "more"]),
  topics_welcome: Schema.Array(Schema.String),
  topics_avoid: Schema.Array(Schema.String),
  field_sources: Schema.Record(Schema.String, PreferenceSource)
})
export type Preferences = typeof Preferences.Type

export const NO_PREFERENCES: Preferences = {
  opted_out: false,
  preferred_hours: [],
  timezone: null,
  frequency: "normal",
  topics_welcome: [],
  topics_avoid: [],
  field_sources: {}
}

/** The whole relationship except memories and loops. Null: nothing has been learned about that field yet. */
export const Bearing = Schema.Struct({
  emotion: Schema.NullOr(Emotion),
  scores: Schema.Array(Score),
  /** How close the two are, as a word of the posture's schema. */
  stage: Schema.NullOr(Schema.String),
  preferences: Preferences,
  /** What has happened so far, in at most 800 characters. */
  summary: Schema.String
})
export type Bearing = typeof Bearing.Type

export const NEW_BEARING: Bearing = { emotion: null, scores: [], stage: null, preferences: NO_PREFERENCES, summary: "" }

export const Snapshot = Schema.Struct({
  id: Schema.String,
  turn_index: Schema.Int,
  summary: Schema.String,
  emotion: Schema.NullOr(Emotion),
  stage: Schema.NullOr(Schema.String),
  /** Ids of at most 8 memories. */
  highlights: Schema.Array(Schema.String),
  open_loop_ids: Schema.Array(Schema.String),
  scores: Schema.Array(Score),
  created_at: Schema.String
})
export type Snapshot = typeof Snapshot.Type

export interface Relationship {
  /** By id. */
  readonly memories: ReadonlyMap<string, Memory>
  readonly loops: ReadonlyMap<string, OpenLoop>
  readonly bearing: Bearing
  /** The number of patches it is made of. */
  readonly version: number
  /** The last turn that extraction has processed. */
  readonly readTurn: number
}

export const NEW_RELATIONSHIP: Relationship = {
  memories: new Map(),
  loops: new Map(),
  bearing: NEW_BEARING,
  version: 0,
  readTurn: 0
}
