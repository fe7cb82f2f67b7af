import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { LogSignals } from "#channels/event-log/LogSignals.ts"
import { appendOperational } from "../appendOperational.ts"
import { auditing, type AuditAction } from "../auditLog.ts"
import { Database, type DatabaseError } from "../Database.ts"
import { OPERATOR } from "../operator.ts"
import { type BotPlace, goOn } from "./goOn.ts"
import { ALL_APPS } from "./isHeld.ts"

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
  /** Lets what was put aside go on where a hold has been released. */
  readonly finish: Effect.Effect<void, DatabaseError>
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
        and not exists (select from telegram_holds h where h.released_at is null and h.scope in (${ALL_APPS}, b.app_id) and h.scope <> ${scope})
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

    const hold = (appId: string | null, reason: string | null) => changing(appId, "telegram.held", { reason }, (scope) => Effect.gen(function*() {
      const there = yield* query((sql) => sql`select 1 from telegram_holds where scope = ${scope} and released_at is null for no key update`)
      yield* query((sql) => sql`
        insert into telegram_holds as h (scope, reason) values (${scope}, ${reason})
        on conflict (scope) do update set released_at = null, since = case when h.released_at is null then h.since else now() end,
          reason = case when h.released_at is null then coalesce(excluded.reason, h.reason) else excluded.reason end`)
      return there.length === 0
    }))

    const release = (appId: string | null) => changing(appId, "telegram.released", {}, (scope) => Effect.gen(function*() {
      // Behind whoever is just putting something aside because of it.
      const was = yield* query((sql) => sql`select 1 from telegram_holds where scope = ${scope} and released_at is null for update`)
      yield* query((sql) => sql`update telegram_holds set released_at = now() where scope = ${scope} and released_at is null`)
      if (was.length > 0) yield* query((sql) => sql`select graphile_worker.add_job('release', '{}'::json), graphile_worker.add_job('manager', '{}'::json)`)
      return was.length > 0
    })).pipe(Effect.tap(finish))

    // Step by step: there may be many bots, and whoever dies on the way leaves the rest to the next. A hold that was put and released again meanwhile
    // has bots behind us that are to go on.
    const finishOne = Effect.fnUntraced(function*({ scope, released_at }: { readonly scope: string; readonly released_at: string }) {
      let place: BotPlace | null = { app_id: "", channel_id: "" }
      while (place !== null) place = yield* goOn(scope, place).pipe(Effect.provideService(Database, database))
      yield* query((sql) => sql`delete from telegram_holds where scope = ${scope} and released_at = ${released_at}::text::timestamptz`)
    })
    const finish = Effect.gen(function*() {
      const released = yield* query<Array<{ scope: string; released_at: string }>>((sql) => sql`select scope, released_at::text from telegram_holds where released_at is not null`)
      yield* Effect.forEach(released, finishOne, { discard: true })
    })

    return Holds.of({
      hold,
      release,
      finish,
      list: query<Array<Hold>>((sql) => sql`select nullif(scope, ${ALL_APPS}) as app_id, since, reason from telegram_holds where released_at is null order by scope`)
    })
  }))
}
