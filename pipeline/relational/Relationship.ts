import * as Schema from "effect/Schema"

/** What a character has come to know of a person and how it stands with them, in one session. */

/** Where a thing was said: its place on the log and the words themselves. */
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

/** Moments are ISO 8601 in UTC. */
export const Memory = Schema.Struct({
  id: Schema.String,
  kind: MemoryKind,
  subject: MemorySubject,
  /** At most 500 characters; empty once it is forgotten. */
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
  /** Of a forgotten one, the hash of its words. */
  tombstone: Schema.NullOr(Schema.String),
  recall_count: Schema.Int,
  last_recalled_at: Schema.NullOr(Schema.String),
  created_at: Schema.String
})
export type Memory = typeof Memory.Type

export const LoopKind = Schema.Literals(["question", "promise", "plan", "event_followup", "conflict"])
export const LoopOwner = Schema.Literals(["user", "character"])
export const LoopStatus = Schema.Literals(["open", "surfaced", "resolved", "expired", "dismissed"])

/** Something between the two that waits to be taken up again. */
export const OpenLoop = Schema.Struct({
  id: Schema.String,
  kind: LoopKind,
  owner: LoopOwner,
  /** At most 300 characters. */
  text: Schema.String,
  due_at: Schema.NullOr(Schema.String),
  /** 1 to 5, 5 the most pressing. */
  priority: Schema.Int,
  status: LoopStatus,
  evidence: Schema.Array(Evidence),
  created_at: Schema.String,
  updated_at: Schema.String
})
export type OpenLoop = typeof OpenLoop.Type

/** Whether a loop still waits. */
export const isWaiting = ({ status }: OpenLoop): boolean => status === "open" || status === "surfaced"

export const Emotion = Schema.Struct({
  label: Schema.String,
  valence: Schema.Number,
  arousal: Schema.Number,
  updated_at: Schema.String
})
export type Emotion = typeof Emotion.Type

/**
 * A score as it was when it last changed; what it has drifted to since is for the reader to work out: see scores.ts.
 */
export const Score = Schema.Struct({ key: Schema.String, value: Schema.Number, updated_at: Schema.String })
export type Score = typeof Score.Type

export const PreferenceSource = Schema.Literals(["explicit", "inferred", "app"])

/** How a person wants to be written to unasked. A field without a source has never been set. */
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

/** All of it but memories and loops. Null is what nothing has been learned of yet. */
export const Bearing = Schema.Struct({
  emotion: Schema.NullOr(Emotion),
  scores: Schema.Array(Score),
  /** How close the two are, in a word of the posture's schema. */
  stage: Schema.NullOr(Schema.String),
  preferences: Preferences,
  /** What has been, in at most 800 characters. */
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
  /** At most 8 ids of memories. */
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
  /** How many patches it is made of. */
  readonly version: number
  /** The last turn that has been read. */
  readonly readTurn: number
}

export const NEW_RELATIONSHIP: Relationship = {
  memories: new Map(),
  loops: new Map(),
  bearing: NEW_BEARING,
  version: 0,
  readTurn: 0
}
