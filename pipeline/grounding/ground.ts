import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Turn } from "../domain/Turn.ts"
import { remembered } from "../remembered.ts"
import type { Recalled } from "../retrieval/Retrieved.ts"
import { memoryId, type Utterance } from "../retrieval/Transcript.ts"
import type { Analysis, Intent, Topic } from "./Analysis.ts"
import { byRules } from "./rules.ts"

/** Who is being talked to and when, what the message does, and which memories answer it. */
export interface Grounding {
  readonly addressee: string | null
  /** The time where the person is, for example `Saturday 21:40`; UTC when their time zone is unknown. */
  readonly localTime: string
  readonly intent: Intent
  readonly asksAbout: ReadonlyArray<Topic>
  /** Memories that answer the message. Only such as the turn has. */
  readonly relevantIds: ReadonlyArray<string>
  readonly contradictions: ReadonlyArray<{ readonly memoryId: string; readonly userNowSays: string }>
  readonly userEmotion: string | null
}

/** By rules, a memory answers a question about the past from this score on. */
const ANSWERS = 0.5

const MOST_FORMATTERS = 1000

// Making a formatter takes forty times as long as using it.
const formatterOf = remembered(MOST_FORMATTERS, (timeZone): Intl.DateTimeFormat => {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "long", hour: "2-digit", minute: "2-digit" })
  } catch {
    return formatterOf("UTC")
  }
})

/** Resolves who and when, and frames the message by its analysis or else by rules. */
export const ground = Effect.fnUntraced(function*(turn: Turn, memories: { readonly history: ReadonlyArray<Utterance>; readonly recalled: ReadonlyArray<Recalled> }, analysis: Analysis | null) {
  const now = yield* DateTime.now
  const rules = byRules(turn.text)
  const present = new Set([...memories.history, ...memories.recalled].map(memoryId))
  const answering = () => rules.asksAbout.includes("user_past") ? memories.recalled.filter(({ score }) => score >= ANSWERS).map(memoryId) : []
  return {
    addressee: turn.endUser.displayName,
    localTime: DateTime.formatIntl(now, formatterOf(turn.endUser.timezone ?? "UTC")),
    intent: analysis?.intent ?? rules.intent,
    asksAbout: analysis?.asks_about ?? rules.asksAbout,
    relevantIds: analysis?.relevant_memory_ids.filter((id) => present.has(id)) ?? answering(),
    contradictions: (analysis?.contradictions ?? []).filter(({ memory_id }) => present.has(memory_id)).map(({ memory_id, user_now_says }) => ({ memoryId: memory_id, userNowSays: user_now_says })),
    userEmotion: analysis?.emotion_of_user ?? null
  } satisfies Grounding
})
