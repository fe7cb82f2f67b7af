import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { alignLanes } from "./alignLanes.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

/** How many lanes one statement deletes. */
const LANES_PER_STEP = 1000

/** The scope of a channel: one session or, if null, every session of the app. */
export interface ChannelScope {
  readonly appId: string
  readonly sessionId: string | null
}

/**
 * Updates the lanes of channels to their generation, and deletes those of deleted channels. A single session's lane is
 * updated in the transaction that requests it. The lanes of a whole app are updated in steps in a job, so that nothing
 * is locked for long.
 */
export class Alignment extends Context.Service<
  Alignment,
  {
    /** Call it in the transaction that changed the channel and holds its row lock. */
    readonly begin: (scope: ChannelScope, channelId: string) => Effect.Effect<void, DatabaseError>
    /** Does the rest in one transaction per step. Concurrent callers wait. */
    readonly finish: (appId: string, channelId: string) => Effect.Effect<void, DatabaseError>
    /** Adds the job again for every channel that is not aligned yet. */
    readonly nudge: Effect.Effect<void, DatabaseError>
  }
>()("src/db/delivery/Alignment") {
  static readonly layer = Layer.effect(
    Alignment,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const align = (appId: string, channelId: string) =>
        alignLanes(appId, channelId).pipe(Effect.provideService(Database, database))
      const wakeCourier = query((sql) => sql`select graphile_worker.add_job('deliver', '{}'::json)`)

      const begin = Effect.fnUntraced(function* ({ appId, sessionId }: ChannelScope, channelId: string) {
        if (sessionId === null) {
          yield* query(
            (sql) => sql`
          select graphile_worker.add_job('align', json_build_object('app_id',
            ${appId}::text, 'channel_id', ${channelId}::text))`
          )
          return
        }
        yield* Effect.repeat(align(appId, channelId), { until: (sessions) => sessions.length === 0 })
        yield* wakeCourier
      })

      const deleteSome = Effect.fnUntraced(function* (appId: string, channelId: string) {
        const lanes = yield* query(
          (sql) => sql`
        delete from lanes where (app_id, session_id, channel_id) in (
          select app_id, session_id, channel_id from lanes where app_id = ${appId} and channel_id = ${channelId}
          order by session_id limit ${LANES_PER_STEP}::int for update
        ) returning 1`
        )
        if (lanes.length > 0) return true
        yield* query((sql) => sql`delete from channels where app_id = ${appId} and channel_id = ${channelId}`)
        return false
      })
      /** True while there is more to do. */
      const step = Effect.fnUntraced(function* (appId: string, channelId: string) {
        const [channel] = yield* query<Array<{ status: string }>>(
          (sql) => sql`
        select status from channels where app_id =
          ${appId} and channel_id = ${channelId} and aligned_to is not null for update`
        )
        if (channel === undefined) return false
        if (channel.status === "deleted") return yield* deleteSome(appId, channelId)
        const sessions = yield* align(appId, channelId)
        if (sessions.length > 0) yield* wakeCourier
        return sessions.length > 0
      }, transaction)

      return Alignment.of({
        begin,
        finish: (appId, channelId) =>
          Effect.repeat(step(appId, channelId), { while: (more) => more }).pipe(Effect.asVoid),
        nudge: query(
          (sql) => sql`
        select graphile_worker.add_job('align', json_build_object('app_id', app_id, 'channel_id', channel_id),
          job_key := 'align:' || channel_id, job_key_mode := 'preserve_run_at') from channels
            where aligned_to is not null`
        ).pipe(Effect.asVoid)
      })
    })
  )
}
