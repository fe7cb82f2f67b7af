/** The world around a character, apart from its profile. Times are ISO 8601 in UTC. */

export const MENTION_POLICIES = ["free", "when_asked", "never"] as const

/** A person in the character's life. */
export interface Npc {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly summary: string
  readonly aliases: ReadonlyArray<string>
  /** The app's character that this NPC represents, if any. */
  readonly linked_slug: string | null
  /** `when_asked`: only once the person has named them. */
  readonly mention_policy: (typeof MENTION_POLICIES)[number]
}

export const VISIBILITIES = ["public", "private", "secret"] as const

/** A relation between two nodes. See nodes.ts for node names. */
export interface Edge {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly relation: string
  readonly fact: string
  /** -1 to 1. */
  readonly sentiment: number
  /** 0 to 1. */
  readonly strength: number
  /** `private`: the character reasons with it but never tells it. `secret`: it does not even reason with it. */
  readonly visibility: (typeof VISIBILITIES)[number]
  readonly valid_at: string
  /** The time from which it no longer holds. */
  readonly invalid_at: string | null
  readonly source_ref: string | null
  /** The only session that knows it. Null: all sessions know it. */
  readonly session_id: string | null
}

export const holdsAt = ({ valid_at, invalid_at }: Edge, now: number): boolean =>
  Date.parse(valid_at) <= now && (invalid_at === null || now < Date.parse(invalid_at))

export const STORYLINE_STATUSES = ["draft", "active", "paused", "retired"] as const
export const ARC_KINDS = ["mood", "topic", "availability", "style", "relationship"] as const
export const RECURRENCES = ["none", "daily", "weekly", "yearly"] as const

export interface ArcEffect {
  /** Added to the character's feeling. */
  readonly valence: number
  readonly arousal: number
  readonly topic: string | null
  /** By dimension key, -0.1 to 0.1: shifts the apparent score while the influence lasts. */
  readonly score_bias: Readonly<Record<string, number>>
}

/** A current influence on the character. */
export interface Influence {
  readonly kind: (typeof ARC_KINDS)[number]
  readonly guidance: string
  readonly effect: ArcEffect
  /** 0 to 1: how strong its effect is. */
  readonly weight: number
}

export type ArcScope = "all" | { readonly external_user_ref: string } | { readonly session_id: string }

/** An influence with a schedule. */
export interface Arc extends Influence {
  readonly id: string
  readonly starts_at: string | null
  readonly ends_at: string | null
  readonly recurrence: (typeof RECURRENCES)[number]
  readonly scope: ArcScope
  readonly cancelled: boolean
}

/** A single condition. */
export type Condition =
  | { readonly score_gte: { readonly key: string; readonly value: number } }
  /** Turns since the current beat was entered, or since the session began if there is none. */
  | { readonly turns_gte: number }
  | { readonly days_since_gte: number }
  | { readonly keyword_any: ReadonlyArray<string> }
  | { readonly trigger: string }
  /** The kind of an open loop, or "any": one was resolved since the current beat was entered. */
  | { readonly loop_resolved: string }
  /** A time, or the key of a beat of this storyline that was entered before. */
  | { readonly after: string }

export interface Beat {
  readonly key: string
  readonly summary: string
  /** What the character does during this beat. */
  readonly guidance: string
  readonly enter_when: { readonly all: ReadonlyArray<Condition> }
  readonly on_enter: {
    readonly emotion_delta: { readonly label: string | null; readonly valence: number; readonly arousal: number } | null
    /** Influences the character during this beat. */
    readonly arc_influence: Influence | null
    readonly proactive_reason: "storyline_beat" | null
  }
  /** The keys of the beats that may follow. Empty: the story ends here. */
  readonly next: ReadonlyArray<string>
}

export interface Storyline {
  readonly id: string
  readonly title: string
  readonly premise: string
  readonly status: (typeof STORYLINE_STATUSES)[number]
  readonly beats: ReadonlyArray<Beat>
}

/** A session has entered a beat. */
export interface Step {
  readonly storyline_id: string
  readonly beat: string
  readonly entered_at: string
  /** The session's last turn at that time. */
  readonly turn_index: number
  readonly trigger: string | null
}

export interface World {
  readonly npcs: ReadonlyArray<Npc>
  readonly edges: ReadonlyArray<Edge>
  readonly storylines: ReadonlyArray<Storyline>
  readonly arcs: ReadonlyArray<Arc>
}

/**
 * A character's world as one session knows it: with the edges that only this session has, and its position in the
 * story.
 */
export interface SessionWorld extends World {
  readonly step: Step | null
}

export const EMPTY_WORLD: SessionWorld = { npcs: [], edges: [], storylines: [], arcs: [], step: null }
