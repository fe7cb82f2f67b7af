import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { maskOf } from "#pipeline/retrieval/maskForgotten.ts"
import { MemoryStore } from "#pipeline/retrieval/MemoryStore.ts"
import type { Utterance } from "#pipeline/retrieval/Transcript.ts"
import { Expenses } from "#src/db/billing/Expenses.ts"
import { payUpTo } from "#src/db/billing/payUpTo.ts"
import { SpokenWith } from "#src/db/conversation/SpokenWith.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import { toBytes } from "#src/db/memory/nearest.ts"
import { turnFor } from "#src/db/memory/SessionRecall.ts"
import { MemoryVectors } from "#src/db/memory/MemoryVectors.ts"
import { UtteranceVectors } from "#src/db/memory/UtteranceVectors.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { makeSlots, slotsFor } from "#src/jobs/runner/slots.ts"
import { Embedder, MAX_TEXTS } from "#src/model/Embedder.ts"

/** The latest utterances are in the prompt. They are embedded when they are about to leave it. */
const KEPT_IN_PROMPT = 8
/** Fewer are not worth a request. A session that fits into its prompt is never embedded. */
const MIN_FIRST = 16
const MIN_NEXT = 4
/** In a session that fits into its prompt, only memories are embedded that the app has added, and not for a few. */
const MIN_FIRST_MEMORIES = 8
/**
 * Maximum number of sessions per app that are embedded at once. Others wait for their next turn: a slow model must not
 * take up the jobs that turns need.
 */
const MAX_AT_ONCE = 16
const HAS_WORDS = /[\p{L}\p{N}]/u

/** Embeds what was said and noted in sessions, so that it can be found by its meaning. */
export class SessionEmbedder extends Context.Service<
  SessionEmbedder,
  {
    /**
     * Embeds the next utterances and memories of a session. Whether more may be left. If it fails or is not paid for,
     * a later turn tries again.
     */
    readonly embedNext: (session: SessionRef) => Effect.Effect<boolean>
  }
>()("src/jobs/memory/SessionEmbedder") {
  static readonly layer = Layer.effect(
    SessionEmbedder,
    Effect.gen(function* () {
      const embedder = yield* Embedder
      if (embedder === null) return SessionEmbedder.of({ embedNext: () => Effect.succeed(false) })
      const vectors = yield* UtteranceVectors
      const memoryVectors = yield* MemoryVectors
      const memoryStore = yield* MemoryStore
      const spoken = yield* SpokenWith
      const expenses = yield* Expenses
      const slots = makeSlots(slotsFor(MAX_AT_ONCE))
      const embedding = new Set<string>()

      /** Hides what has been forgotten. Undefined: the session is gone, or what was forgotten is not known. */
      const maskIn = Effect.fnUntraced(function* (session: SessionRef, said: ReadonlyArray<Utterance>) {
        const now = yield* spoken.in(session)
        if (now === undefined) return undefined
        const turn = turnFor(session, now, "")
        const known = yield* memoryStore.look({ turn, terms: [], memories: 0, loops: 0 })
        if (known.failed) return undefined
        return maskOf(known.forgotten, said, { text: "", atMs: yield* Clock.currentTimeMillis })
      })

      /** What is to be embedded next. */
      const pendingIn = Effect.fnUntraced(function* (session: SessionRef) {
        const { embeddedTo, said } = yield* vectors.pending(session, embedder.model, MAX_TEXTS + KEPT_IN_PROMPT)
        const leaving = said.slice(0, Math.max(0, said.length - KEPT_IN_PROMPT))
        const utterances = leaving.length < (embeddedTo === 0 ? MIN_FIRST : MIN_NEXT) ? [] : leaving
        const isLong = embeddedTo > 0 || utterances.length > 0
        const limit = MAX_TEXTS - utterances.length
        const all = limit === 0 ? [] : yield* memoryVectors.pending(session, embedder.model, { isSaid: isLong, limit })
        const fewest = utterances.length > 0 ? 0 : isLong ? MIN_NEXT : MIN_FIRST_MEMORIES
        return { said, utterances, memories: all.length < fewest ? [] : all }
      })

      const embedStep = Effect.fnUntraced(function* (session: SessionRef): Effect.fn.Return<boolean, DatabaseError> {
        const { said, utterances, memories } = yield* pendingIn(session)
        if (utterances.length + memories.length === 0) return false
        const mask = yield* maskIn(session, said)
        if (mask === undefined) return false
        const shown = mask.history(utterances).filter(({ text }) => HAS_WORDS.test(text))
        // A memory of which something is hidden is not embedded.
        const whole = new Map(mask.found(memories).map(({ id, text }) => [id, text]))
        const noted = memories.filter(({ id, text }) => whole.get(id) === text && HAS_WORDS.test(text))
        // Memories often have the text of an utterance.
        const texts = [...new Set([...shown, ...noted].map(({ text }) => text))]
        const asked = embedder
          .embed({ texts, urgency: "background" })
          .pipe(Effect.catch(({ usage }) => Effect.succeed({ embeddings: null, usage })))
        const answer =
          texts.length === 0
            ? { embeddings: [] }
            : yield* payUpTo(expenses, session, "embedding", embedder.mostMicroUsd(texts), asked)
        if (answer === null || answer.embeddings === null) return false
        const vectorOf = new Map(texts.map((text, place) => [text, toBytes(answer.embeddings[place] ?? [])]))
        const none = new Int8Array()
        const textAt = new Map(shown.map(({ cursor, text }) => [cursor, text]))
        if (utterances.length > 0)
          yield* vectors.write(
            session,
            embedder.model,
            utterances.map(({ cursor }) => ({ cursor, vector: vectorOf.get(textAt.get(cursor) ?? "") ?? none }))
          )
        const isNoted = new Set(noted.map(({ id }) => id))
        if (memories.length > 0)
          yield* memoryVectors.write(
            session,
            embedder.model,
            memories.map(({ id, text }) => ({
              id,
              text,
              vector: (isNoted.has(id) ? vectorOf.get(text) : null) ?? none
            }))
          )
        return utterances.length + memories.length === MAX_TEXTS
      })

      return SessionEmbedder.of({
        embedNext: (session) =>
          Effect.suspend(() => {
            const name = `${session.appId} ${session.sessionId}`
            if (embedding.has(name) || slots.isFull(session.appId)) return Effect.succeed(false)
            embedding.add(name)
            return slots.withSlot(session.appId, embedStep(session)).pipe(
              Effect.catchTag("DatabaseError", (error) =>
                Effect.as(Effect.logWarning("utterances could not be embedded", { reason: error.message }), false)
              ),
              Effect.catchDefect((defect) => Effect.as(Effect.logWarning("embedding aborted", defect), false)),
              Effect.ensuring(Effect.sync(() => embedding.delete(name)))
            )
          })
      })
    })
  )
}
