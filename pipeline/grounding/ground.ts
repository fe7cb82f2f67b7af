import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { readableName } from "../domain/macros.ts"
import type { Turn } from "../domain/Turn.ts"
import type { Remembered } from "../retrieval/MemoryStore.ts"
import type { Recalled } from "../retrieval/Retrieved.ts"
import { memoryId, type Utterance } from "../retrieval/Transcript.ts"
import type { Analysis, Intent, Topic } from "./Analysis.ts"
import { mayAnswer } from "./answers.ts"
import { localTime, occupation } from "./rhythm.ts"
import { byRules } from "./rules.ts"

/** The time for the person and the character, what the message does, and which memories answer it. */
export interface Grounding {
  readonly addressee: string | null
  /** The person's local time, for example `Saturday 21:40`. UTC if their time zone is unknown. */
  readonly localTime: string
  /** The character's local time and what it is doing. Null without a life rhythm. */
  readonly character: { readonly localTime: string; readonly doing: string } | null
  readonly intent: Intent
  readonly asksAbout: ReadonlyArray<Topic>
  /** Memories that answer the message. Always a subset of those that the turn has. */
  readonly relevantIds: ReadonlyArray<string>
  readonly contradictions: ReadonlyArray<{ readonly memoryId: string; readonly userNowSays: string }>
  readonly userEmotion: string | null
}

/** Resolves the persons and times, and frames the message by its analysis or else by rules. */
export const ground = Effect.fnUntraced(function* (
  turn: Turn,
  memories: {
    readonly history: ReadonlyArray<Utterance>
    readonly recalled: ReadonlyArray<Recalled>
    readonly remembered: ReadonlyArray<Remembered>
  },
  analysis: Analysis | null
) {
  const now = yield* DateTime.now
  const rules = byRules(turn.text)
  const present = new Set([
    ...[...memories.history, ...memories.recalled].map(memoryId),
    ...memories.remembered.map(({ id }) => id)
  ])
  const answering = () => {
    if (!rules.asksAbout.includes("user_past")) return []
    const answers = mayAnswer(turn.text)
    return [
      ...memories.remembered.filter(({ text }) => answers(text)).map(({ id }) => id),
      ...memories.recalled.filter(({ text }) => answers(text)).map(memoryId)
    ]
  }
  return {
    addressee: readableName(turn.endUser.displayName),
    localTime: localTime(now, turn.endUser.timezone),
    character: occupation(turn.character.life_rhythm, now),
    intent: analysis?.intent ?? rules.intent,
    asksAbout: analysis?.asks_about ?? rules.asksAbout,
    relevantIds: analysis?.relevant_memory_ids.filter((id) => present.has(id)) ?? answering(),
    contradictions: (analysis?.contradictions ?? [])
      .filter(({ memory_id }) => present.has(memory_id))
      .map(({ memory_id, user_now_says }) => ({ memoryId: memory_id, userNowSays: user_now_says })),
    userEmotion: analysis?.emotion_of_user ?? null
  } satisfies Grounding
})
