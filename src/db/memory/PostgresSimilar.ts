import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { NOTHING_SIMILAR, Similar, type SimilarFound, type SimilarRequest } from "#pipeline/retrieval/Similar.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { Embedder } from "#src/model/Embedder.ts"
import { MemoryVectors } from "./MemoryVectors.ts"
import { nearest, toBytes } from "./nearest.ts"
import { UtteranceVectors } from "./UtteranceVectors.ts"

const makeSearch = (embedder: Embedder, utterances: UtteranceVectors["Service"], memories: MemoryVectors["Service"]) =>
  Effect.fnUntraced(function* ({
    turn: { appId, sessionId },
    text,
    before,
    limit,
    memories: mostMemories
  }: SimilarRequest): Effect.fn.Return<SimilarFound, DatabaseError> {
    const session = { appId, sessionId }
    if (text.trim() === "") return NOTHING_SIMILAR
    const [said, remembered] = yield* Effect.all(
      [utterances.read(session, embedder.model, before), memories.read(session, embedder.model)],
      { concurrency: 2 }
    )
    if (said.cursors.length + remembered.ids.length === 0) return NOTHING_SIMILAR
    const { embeddings, usage } = yield* embedder
      .embed({ texts: [text], urgency: "query" })
      .pipe(Effect.catch(({ usage }) => Effect.succeed({ embeddings: [], usage })))
    const [asked] = embeddings
    const size = asked?.length ?? 0
    // Another number of dimensions: the model has changed behind its name.
    const cursors = said.bytes.length === size * said.cursors.length ? said.cursors : []
    const ids = remembered.bytes.length === size * remembered.ids.length ? remembered.ids : []
    if (asked === undefined || cursors.length + ids.length === 0) return { ...NOTHING_SIMILAR, usage }
    // Together, because a few memories have no average to stand out from.
    const all = new Int8Array(size * (cursors.length + ids.length))
    if (cursors.length > 0) all.set(said.bytes)
    if (ids.length > 0) all.set(remembered.bytes, size * cursors.length)
    const near = nearest(toBytes(asked), all, cursors.length + ids.length)
    const nearSaid = near
      .flatMap(({ place, similarity }) => {
        const cursor = cursors[place]
        return cursor === undefined ? [] : [{ cursor, score: similarity }]
      })
      .slice(0, limit)
    const nearMemories = near
      .flatMap(({ place, similarity }) => {
        const id = ids[place - cursors.length]
        return id === undefined ? [] : [{ id, score: similarity }]
      })
      .slice(0, mostMemories)
    const orNothing = <A>(read: Effect.Effect<ReadonlyArray<A>, DatabaseError>) =>
      read.pipe(Effect.catchTag("DatabaseError", (error) => Effect.as(warn(error), [])))
    const [saidTexts, memoryTexts] = yield* Effect.all(
      [
        nearSaid.length === 0
          ? Effect.succeed([])
          : orNothing(
              utterances.said(
                session,
                nearSaid.map(({ cursor }) => cursor)
              )
            ),
        nearMemories.length === 0
          ? Effect.succeed([])
          : orNothing(
              memories.memories(
                session,
                nearMemories.map(({ id }) => id)
              )
            )
      ],
      { concurrency: 2 }
    )
    const saidAt = new Map(saidTexts.map((one) => [one.cursor, one]))
    const memoryOf = new Map(memoryTexts.map((one) => [one.id, one]))
    return {
      found: nearSaid.flatMap(({ cursor, score }) => {
        const one = saidAt.get(cursor)
        return one === undefined ? [] : [{ ...one, score }]
      }),
      memories: nearMemories.flatMap(({ id, score }) => {
        const one = memoryOf.get(id)
        return one === undefined ? [] : [{ ...one, score }]
      }),
      usage
    }
  })

const warn = ({ message }: DatabaseError) => Effect.logWarning("search by meaning failed", { reason: message })

/**
 * Search by meaning over `utterance_vectors` and `memory_vectors`: a session has few enough to compare the text with
 * each.
 */
export const layer = Layer.effect(
  Similar,
  Effect.gen(function* () {
    const embedder = yield* Embedder
    if (embedder === null) return null
    const search = makeSearch(embedder, yield* UtteranceVectors, yield* MemoryVectors)
    return {
      mostMicroUsd: (text) => embedder.mostMicroUsd([text]),
      search: (request) =>
        search(request).pipe(Effect.catchTag("DatabaseError", (error) => Effect.as(warn(error), NOTHING_SIMILAR)))
    }
  })
)
