import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Turn } from "#pipeline/domain/Turn.ts"
import { EvidenceStore } from "#pipeline/retrieval/EvidenceStore.ts"
import { MemoryStore } from "#pipeline/retrieval/MemoryStore.ts"
import { Recall } from "#pipeline/retrieval/Recall.ts"
import { type Found, recallFor } from "#pipeline/retrieval/recallFor.ts"
import { Similar } from "#pipeline/retrieval/Similar.ts"
import { Expenses } from "#src/db/billing/Expenses.ts"
import { payUpTo } from "#src/db/billing/payUpTo.ts"
import { SpokenWith, type SpokenWithNow } from "#src/db/conversation/SpokenWith.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"

/** Steps to bring the index of a session up to date. More than the longest history needs. */
const STEPS = 40

/** A turn that is never accepted, to search as one. */
export const turnFor = (
  { appId, sessionId }: SessionRef,
  { character, endUser, turnCount }: SpokenWithNow,
  text: string
): Turn => ({
  appId,
  sessionId,
  turnIndex: turnCount + 1,
  runRef: "recall",
  replyMode: "fast",
  text,
  character,
  endUser
})

/**
 * What a turn of a session would be given for a text. Writes nothing but the index of what was said, and the
 * cost of a search by meaning.
 */
export class SessionRecall extends Context.Service<
  SessionRecall,
  {
    /** Best first. Undefined: there is no such session. */
    readonly find: (
      session: SessionRef,
      search: { readonly text: string; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<Found> | undefined, DatabaseError>
    /** Brings the index up to this cursor. The last utterance of a log is indexed when the next one follows it. */
    readonly index: (session: SessionRef, to: number) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/memory/SessionRecall") {
  static readonly layer = Layer.effect(
    SessionRecall,
    Effect.gen(function* () {
      const recall = yield* Recall
      const memoryStore = yield* MemoryStore
      const evidenceStore = yield* EvidenceStore
      const spoken = yield* SpokenWith
      const similar = yield* Similar
      const expenses = yield* Expenses

      return SessionRecall.of({
        index: Effect.fnUntraced(function* (session: SessionRef, to: number) {
          const now = yield* spoken.in(session)
          if (now === undefined || now.last === null) return
          const indexTo = Math.min(to, now.last.cursor - 1)
          const turn = turnFor(session, now, "")
          yield* recall.search({ turn, terms: [], before: indexTo + 1, indexTo, steps: STEPS, limit: 1 })
        }),
        find: Effect.fnUntraced(function* (session: SessionRef, { text, limit }) {
          const now = yield* spoken.in(session)
          if (now === undefined) return undefined
          const turn = turnFor(session, now, text)
          const nowMs = yield* Clock.currentTimeMillis
          const search = { last: now.last, steps: STEPS, limit, nowMs }
          const byWords = { recall, memoryStore, evidenceStore, similar: null }
          if (similar === null) return (yield* recallFor(byWords, turn, search)).found
          const paid = recallFor({ ...byWords, similar }, turn, search)
          const result = yield* payUpTo(expenses, session, "embedding", similar.mostMicroUsd(text), paid)
          return (result ?? (yield* recallFor(byWords, turn, search))).found
        })
      })
    })
  )
}
