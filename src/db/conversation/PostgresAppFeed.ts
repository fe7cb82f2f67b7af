import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AppFeed, type FeedChunk, type FeedFrames, type FeedLost, type FeedRead } from "#channels/event-log/AppFeed.ts"
import { LogUnavailable } from "#channels/event-log/EventLog.ts"
import { ReadRoom } from "#channels/event-log/ReadRoom.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { groupCommit } from "#src/db/postgres/GroupCommit.ts"
import { toFeedChunk, toFeedFrames } from "./feedChunk.ts"
import { bytesOf, type EndRow, type FeedRow, type HeadRow, readEnd, readFeeds, readHeads } from "./feedStatements.ts"

/** Reads the feeds of apps. Concurrent reads of one process share a statement, and followers at one place a read. */
export const layer = Layer.effect(
  AppFeed,
  Effect.gen(function* () {
    const { query } = yield* Database
    const reader = <A>(framed: boolean, toPage: (asked: FeedRead, rows: ReadonlyArray<FeedRow>) => A) => {
      const read = groupCommit<FeedRead, A>({
        maxBatch: 8,
        inFlight: 3,
        appOf: ({ appId }) => appId,
        keyOf: (asked) => JSON.stringify(asked),
        run: async (batch) => {
          const asked = batch.map((each) => ({ ...each, framed }))
          const rows = batch.map((): Array<FeedRow> => [])
          for (const row of await Effect.runPromise(query<Array<FeedRow>>((sql) => readFeeds(sql, asked))))
            rows[row.n - 1]?.push(row)
          return batch.map((each, index) => toPage(each, rows[index] ?? []))
        }
      })
      return (asked: FeedRead) =>
        Effect.mapError(
          Effect.flatMap(ReadRoom, (room) => room(bytesOf(framed), read(asked))),
          (cause) => new LogUnavailable({ cause })
        )
    }
    return AppFeed.of({
      read: reader<FeedChunk | FeedLost>(false, toFeedChunk),
      readFrames: reader<FeedFrames | FeedLost>(true, toFeedFrames),
      end: (appId) =>
        query<Array<EndRow>>((sql) => readEnd(sql, appId)).pipe(
          Effect.map(([row]) => (row === undefined ? null : { ...row, sessionId: row.session_id })),
          Effect.mapError((cause) => new LogUnavailable({ cause }))
        ),
      heads: (apps) =>
        query<Array<HeadRow>>((sql) => readHeads(sql, apps)).pipe(
          Effect.map((rows) => new Map(rows.map((row) => [row.app_id, row.head]))),
          Effect.mapError((cause) => new LogUnavailable({ cause }))
        )
    })
  })
)
