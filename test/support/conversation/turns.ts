import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Character } from "#pipeline/domain/Character.ts"
import { Outcome, type StageRecord, type Turn } from "#pipeline/domain/Turn.ts"
import type { GateContext } from "#pipeline/emission/gates.ts"
import type { Analysis } from "#pipeline/grounding/Analysis.ts"
import { loreFor } from "#pipeline/retrieval/lore.ts"
import { NOT_CALLED } from "#pipeline/retrieval/LoreRecord.ts"
import { MemoryStore, NOTHING_KNOWN } from "#pipeline/retrieval/MemoryStore.ts"
import { Recall } from "#pipeline/retrieval/Recall.ts"
import type { Lore } from "#pipeline/retrieval/Retrieved.ts"
import type { Utterance } from "#pipeline/retrieval/Transcript.ts"
import { type BookRecords, TurnTrace } from "#pipeline/TurnTrace.ts"
import type { TurnPipeline } from "#pipeline/Turn.ts"
import { EMPTY_WORLD } from "#pipeline/world/World.ts"
import { WorldStore } from "#pipeline/world/WorldStore.ts"

export const characterOf = Schema.decodeUnknownSync(Character)

export const plainCharacter = characterOf({ slug: "ada", display_name: "Ada" })

export const turnOf = (given: Partial<Turn>): Turn => ({
  appId: "app_1",
  sessionId: "ses_1",
  turnIndex: 0,
  runRef: "run_1",
  replyMode: "fast",
  text: "hello",
  character: plainCharacter,
  endUser: { externalUserRef: "user-1", displayName: null, timezone: null, locale: null, ageBand: "unknown" },
  ...given
})

/** The gate context for a plain reply to a plain message. */
export const gateContextOf = (given: Partial<GateContext> = {}): GateContext => ({
  character: plainCharacter,
  endUser: turnOf({}).endUser,
  userTexts: ["what did you do today?"],
  characterTexts: [],
  memories: new Map(),
  ownWords: new Map(),
  evidence: [],
  serviceText: "",
  mustNotReveal: [],
  unspoken: [],
  delicate: false,
  proactive: null,
  ...given
})

/** An analysis without findings, with the fields that a test overrides. */
export const analysisOf = (given: Partial<Analysis> = {}): Analysis => ({
  intent: "smalltalk",
  asks_about: ["nothing"],
  relevant_memory_ids: [],
  contradictions: [],
  safety: { action: "allow", categories: [], injection: false },
  knows: [],
  unknown: [],
  must_not_reveal: [],
  emotion_of_user: "neutral",
  ...given
})

/** A session that is entirely in its history, with a person without memories. */
export const nothingKnown = Layer.merge(
  Layer.succeed(MemoryStore, { look: () => Effect.succeed(NOTHING_KNOWN) }),
  Layer.succeed(WorldStore, { look: () => Effect.succeed({ world: EMPTY_WORLD, failed: false }) })
)
export const nothingRecalled = Layer.merge(
  Layer.succeed(Recall, { search: () => Effect.succeed({ found: [], failed: false }) }),
  nothingKnown
)

/** A history from the oldest message on, starting with the user and alternating. */
export const historyOf = (...texts: ReadonlyArray<string>): ReadonlyArray<Utterance> =>
  texts.map((text, i) => ({ role: i % 2 === 0 ? "user" : "character", text, cursor: i + 1, at: new Date(0) }))

/** The lore that a turn triggers, after earlier turns with these messages. */
export const loreAfter = (
  said: ReadonlyArray<string>,
  turn: Turn,
  trust: number | null = null
): ReadonlyArray<Lore> => {
  const calls = said.reduce(
    (calls, text, place) =>
      loreFor(
        { ...turn, text, turnIndex: turn.turnIndex - said.length + place },
        historyOf(...said.slice(0, place).flatMap((earlier) => [earlier, "Hm."])),
        calls,
        trust
      ).calls,
    NOT_CALLED
  )
  return loreFor(turn, historyOf(...said.flatMap((earlier) => [earlier, "Hm."])), calls, trust).lore
}

/** The character's messages, or nothing if the turn ended otherwise. */
export const bubblesOf = (outcome: Outcome): ReadonlyArray<string> =>
  Outcome.guards.Replied(outcome) ? outcome.bubbles : []

export const DEADLINES = { fast: Duration.seconds(45), deep: Duration.seconds(90) }

export interface TurnResult {
  readonly outcome: Outcome
  readonly stages: ReadonlyArray<StageRecord>
}

/** Runs a turn to its outcome, and returns it with its records. */
export const runTurn = (
  pipeline: TurnPipeline["Service"],
  turn: Turn,
  book: BookRecords = () => Effect.void
): Effect.Effect<TurnResult> =>
  Effect.clockWith((clock) => {
    const trace = new TurnTrace(clock, book)
    return Effect.map(pipeline.run(turn, trace), (outcome) => ({ outcome, stages: trace.records }))
  })
