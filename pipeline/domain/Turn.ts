import * as Schema from "effect/Schema"
import type { Character } from "./Character.ts"
import { FailureReason } from "./Event.ts"
import type { Initiative } from "./Initiative.ts"

export const ReplyMode = Schema.Literals(["fast", "deep"])
export type ReplyMode = typeof ReplyMode.Type

/**
 * How a turn of the sandbox is to end, so that a client can be tried against each outcome. `stall`: as one that takes
 * too long.
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
 * the turn began with.
 */
export interface Turn {
  readonly appId: string
  readonly sessionId: string
  readonly turnIndex: number
  readonly runRef: string
  readonly replyMode: ReplyMode
  /** The message; empty where the character writes first. */
  readonly text: string
  /** Why the character writes first, where the turn answers nobody. */
  readonly initiative?: Initiative
  readonly character: Character
  readonly endUser: EndUser
  /** Somebody has said what the character looks like, so that it can be shown. */
  readonly pictures?: boolean
  /**
   * In one of the three messages before this one a crisis was found, by rules or by a model: safety and grounding have
   * it on record.
   */
  readonly afterCrisis?: boolean
  readonly fault?: Fault
  /** What it draws by, where that is not its session. */
  readonly seed?: string
}

/** A picture that goes with a reply. */
export const PictureWish = Schema.Struct({ kind: Schema.Literals(["selfie", "scene"]), description: Schema.String })
export type PictureWish = typeof PictureWish.Type

/** How a turn ends (contract 3.1). Every accepted turn reaches exactly one of these. */
export const Outcome = Schema.TaggedUnion({
  Replied: { bubbles: Schema.Array(Schema.String), picture: Schema.optionalKey(PictureWish) },
  /** `by`: what kept a character from writing first. */
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

/** Tokens and money of one model call. `estimated` when the server gave no usage. */
export interface Usage {
  readonly model: string
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly outputTokens: number
  readonly costMicroUsd: number
  readonly estimated: boolean
  /** Nobody has named a price for the model: what it has cost is an assumption. */
  readonly unpriced?: true
}

/** One row per attempt of a stage: what it took, what it cost, what it decided. Never a prompt, never a rationale. */
export interface StageRecord {
  readonly stage: StageName
  readonly attempt: number
  readonly startedAt: Date
  readonly latencyMs: number
  readonly status: "ok" | "fallback" | "skipped" | "error"
  readonly decision: string | null
  readonly errorCode: string | null
  /** What else is to be seen, such as the memories that were found. */
  readonly detail: Readonly<Record<string, unknown>> | null
  readonly usage: Usage | null
}
