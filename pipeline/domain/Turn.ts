import * as Schema from "effect/Schema"
import type { Character } from "./Character.ts"
import { FailureReason } from "./Event.ts"
import type { ProactiveBrief } from "./ProactiveBrief.ts"
import type { Referred } from "./referred.ts"

export const ReplyMode = Schema.Literals(["fast", "deep"])
export type ReplyMode = typeof ReplyMode.Type

/**
 * How a sandbox turn should end, so that a client can be tested against each outcome. `stall`: behaves like a turn that
 * takes too long.
 */
export const Fault = Schema.Literals(["generation_failed", "timed_out", "withhold", "exit", "stall"])
export type Fault = typeof Fault.Type

export interface EndUser {
  readonly externalUserRef: string
  readonly displayName: string | null
  readonly timezone: string | null
  readonly locale: string | null
  readonly ageBand: "adult" | "minor" | "unknown"
}

/**
 * A turn that a worker has claimed, with what the stages need to know about it. The character is pinned to the version
 * that the turn began with.
 */
export interface Turn {
  readonly appId: string
  readonly sessionId: string
  readonly turnIndex: number
  readonly runRef: string
  readonly replyMode: ReplyMode
  /** The person's own words in the message. Empty if it only forwards, or if the character writes first. */
  readonly text: string
  /** What the message quotes or forwards. */
  readonly referred?: ReadonlyArray<Referred>
  /** Why the character writes first, if the turn answers no message. */
  readonly proactive?: ProactiveBrief
  readonly character: Character
  readonly endUser: EndUser
  /** The character has a visual identity, so it can be shown in pictures. */
  readonly pictures?: boolean
  /**
   * Rules or a model found a crisis in one of the three messages before this one, as recorded by the safety and
   * grounding stages.
   */
  readonly afterCrisis?: boolean
  readonly fault?: Fault
  /** The seed for random draws, if it is not the session. */
  readonly seed?: string
}

/** A picture that goes with a reply. */
export const PictureWish = Schema.Struct({ kind: Schema.Literals(["selfie", "scene"]), description: Schema.String })
export type PictureWish = typeof PictureWish.Type

/** How a turn ends (contract 3.1). Every accepted turn reaches exactly one outcome. */
export const Outcome = Schema.TaggedUnion({
  Replied: { bubbles: Schema.Array(Schema.String), picture: Schema.optionalKey(PictureWish) },
  /** `by`: what stopped the character from writing first. */
  Withheld: { by: Schema.optionalKey(Schema.String) },
  Exited: { reasonCode: Schema.String, bubbles: Schema.Array(Schema.String) },
  Failed: { reason: FailureReason }
})
export type Outcome = typeof Outcome.Type

export type StageName =
  | "retrieval"
  | "grounding"
  | "safety"
  | "knowledge"
  | "generation"
  | "critic"
  | "rewrite"
  | "emission"
  | "image"
  | "relational_update"

/** Tokens and cost of one model call. `estimated` is set if the server returned no usage. */
export interface Usage {
  readonly model: string
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly outputTokens: number
  readonly costMicroUsd: number
  readonly estimated: boolean
  /** The model has no configured price, so the cost is an assumption. */
  readonly unpriced?: true
}

/** One row per attempt of a stage: its duration, its cost, its decision. Never a prompt, never a rationale. */
export interface StageRecord {
  readonly stage: StageName
  readonly attempt: number
  readonly startedAt: Date
  readonly latencyMs: number
  readonly status: "ok" | "fallback" | "skipped" | "error"
  readonly decision: string | null
  readonly errorCode: string | null
  /** Further details, such as the memories that were found. */
  readonly detail: Readonly<Record<string, unknown>> | null
  readonly usage: Usage | null
}
