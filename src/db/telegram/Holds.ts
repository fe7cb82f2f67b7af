import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { LogSignals } from "#channels/event-log/LogSignals.ts"
import { appendOperational } from "../appendOperational.ts"
import { auditing, type AuditAction } from "../auditLog.ts"
import { Database, type DatabaseError } from "../Database.ts"
import { hasten } from "../initiativeStatements.ts"
import { OPERATOR } from "../operator.ts"
import { ALL_APPS } from "./isHeld.ts"
import { UNPARKED_A_STEP, unparkLanes } from "./unparkLanes.ts"

export interface Hold {
  /** Null: of every app. */
  readonly app_id: string | null
  readonly since: Date
  readonly reason: string | null
}

export class NoSuchApp extends Schema.TaggedError<NoSuchApp>()("NoSuchApp", {}) {}

/**
 * What the operator stops at once: the bots of an app, or those of all, with every bot that is attached meanwhile. Who claims updates or lanes, takes
 * a place for a typing sign or puts down the intent to send looks for a hold in that very statement, so only what was on the wire goes through.
 * What people write is kept, in its order. An app's own suspend and resume are beside it and change nothing about it.
 */
export class Holds extends Context.Service<Holds, {
  /** False: it is held already; the reason is the new one then. */
  readonly hold: (appId: string | null, reason: string | null) => Effect.Effect<boolean, NoSuchApp | DatabaseError>
  /** False: there was no such hold. */
  readonly release: (appId: string | null) => Effect.Effect<boolean, NoSuchApp | DatabaseError>
  readonly list: Effect.Effect<ReadonlyArray<Hold>, DatabaseError>
}>()("src/db/telegram/Holds") {
  static readonly layer = Layer.effect(Holds, Effect.gen(function*() {
    const database = yield* Database
    const { query, transaction } = database
    const record = auditing(database)
    const services = yield* Effect.context<Database | LogSignals>()

    const checkApp = (appId: string | null) => appId === null ? Effect.void : Effect.flatMap(
      query((sql) => sql`select 1 from apps where app_id = ${appId} for key share`),
      (found): Effect.Effect<void, NoSuchApp> => found.length > 0 ? Effect.void : new NoSuchApp()
    )

    /** The apps with bots that this hold alone holds back. */
    const concerned = (scope: string) => query<Array<{ app_id: string }>>((sql) => sql`
      select distinct b.app_id from telegram_bots b
      where b.status <> 'detached' and ${scope} in (${ALL_APPS}, b.app_id)
        and not exists (select from telegram_holds h where h.scope in (${ALL_APPS}, b.app_id) and h.scope <> ${scope})
      order by b.app_id`)
    const tell = (scope: string, type: "telegram.held" | "telegram.released", payload: { readonly reason?: string | null }) => Effect.flatMap(concerned(scope), (apps) =>
      Effect.forEach(apps, ({ app_id: appId }) => transaction(appendOperational({ appId, type, payload })).pipe(Effect.provideContext(services)), { discard: true }))

    /** One app is told within the transaction. Those of all are told one by one after it: none is to wait for the last of them to be held. */
    const changing = <E>(appId: string | null, type: Extract<AuditAction, `telegram.${string}`>, payload: { readonly reason?: string | null }, change: (scope: string) => Effect.Effect<boolean, E>) =>
      Effect.gen(function*() {
        const scope = appId ?? ALL_APPS
        const isNews = yield* transaction(Effect.gen(function*() {
          yield* checkApp(appId)
          if (!(yield* change(scope))) return false
          yield* record({ ...(appId === null ? { accountId: OPERATOR } : { appId }), action: type, detail: payload })
          if (appId !== null) yield* tell(scope, type, payload)
          return true
        }))
        if (isNews && appId === null) yield* tell(scope, type, payload)
        return isNews
      })

    const hold = (appId: string | null, reason: string | null) => changing(appId, "telegram.held", { reason }, (scope) => query<Array<{ is_new: boolean }>>((sql) => sql`
      insert into telegram_holds (scope, reason) values (${scope}, ${reason})
      on conflict (scope) do update set reason = coalesce(excluded.reason, telegram_holds.reason) returning xmax = 0 as is_new`).pipe(Effect.map(([row]) => row?.is_new === true)))

    // A session that was looked at meanwhile could not be written in, as things stood, and would be looked at no more before somebody writes.
    const forget = (scope: string) => Effect.gen(function*() {
      const gone = yield* query((sql) => sql`delete from telegram_holds where scope = ${scope} returning 1`)
      yield* query((sql) => hasten(sql, sql`
        select t.app_id, t.session_id from telegram_chats t join relationships r on r.app_id = t.app_id and r.session_id = t.session_id
        where r.initiate_at = 'infinity' and ${scope} in (${ALL_APPS}, t.app_id)`))
      return gone.length > 0
    })
    const wake = Effect.gen(function*() {
      yield* query((sql) => sql`select graphile_worker.add_job('telegram', '{}'::json), graphile_worker.add_job('manager', '{}'::json)`)
      yield* Effect.repeat(
        query(unparkLanes).pipe(Effect.tap(() => query((sql) => sql`select graphile_worker.add_job('deliver', '{}'::json)`))),
        { until: (lanes) => lanes.length < UNPARKED_A_STEP }
      )
    })

    return Holds.of({
      hold,
      release: (appId) => changing(appId, "telegram.released", {}, forget).pipe(Effect.tap(wake)),
      list: query<Array<Hold>>((sql) => sql`select nullif(scope, ${ALL_APPS}) as app_id, since, reason from telegram_holds order by scope`)
    })
  }))
}
