import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { LogSignals } from "#channels/event-log/LogSignals.ts"
import { appendOperational } from "#src/db/delivery/appendOperational.ts"
import { auditing, type AuditAction } from "#src/db/tenancy/auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { resumeApp } from "#src/db/conversation/resumeApp.ts"
import { OPERATOR } from "#src/db/tenancy/operator.ts"
import { type BotPlace, goOn } from "./goOn.ts"
import { type HoldKind, holdRows, type NoSuchApp } from "#src/db/delivery/holdRows.ts"
import { ALL_APPS } from "#src/db/delivery/isHeld.ts"

export interface Hold {
  /** Null: of every app. */
  readonly app_id: string | null
  readonly since: Date
  readonly reason: string | null
}

/**
 * What the operator stops at once: the bots of an app, or those of all, with every bot that is attached meanwhile. Who
 * claims updates or lanes, takes a place for a typing sign or puts down the intent to send looks for a hold in that
 * very statement, so only what was on the wire goes through. What people write is kept, in its order. An app's own
 * suspend and resume are beside it and change nothing about it.
 */
export class Holds extends Context.Service<
  Holds,
  {
    /** False: it is held already; the reason is the new one then. */
    readonly hold: (appId: string | null, reason: string | null) => Effect.Effect<boolean, NoSuchApp | DatabaseError>
    /** False: there was no such hold. */
    readonly release: (appId: string | null) => Effect.Effect<boolean, NoSuchApp | DatabaseError>
    /** Lets what was put aside go on where a hold has been released, or the suspension of an app lifted. */
    readonly finish: Effect.Effect<void, DatabaseError>
    readonly list: Effect.Effect<ReadonlyArray<Hold>, DatabaseError>
  }
>()("src/db/telegram/Holds") {
  static readonly layer = Layer.effect(
    Holds,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const record = auditing(database)
      const services = yield* Effect.context<Database | LogSignals>()

      const { checkApp, put, lift } = holdRows(database, "telegram")

      /**
       * The apps with bots that this hold alone holds back. Suspensions do not count: they have events of their own.
       */
      const concerned = (scope: string) =>
        query<Array<{ app_id: string }>>(
          (sql) => sql`
      select distinct b.app_id from telegram_bots b
      where b.status <> 'detached' and ${scope} in (${ALL_APPS}, b.app_id)
        and not exists (select from telegram_holds h where h.kind = 'telegram' and h.released_at is null
          and h.scope in (${ALL_APPS}, b.app_id) and h.scope <> ${scope})
      order by b.app_id`
        )
      const tell = (
        scope: string,
        type: "telegram.held" | "telegram.released",
        payload: { readonly reason?: string | null }
      ) =>
        Effect.flatMap(concerned(scope), (apps) =>
          Effect.forEach(
            apps,
            ({ app_id: appId }) =>
              transaction(appendOperational({ appId, type, payload })).pipe(Effect.provideContext(services)),
            { discard: true }
          )
        )

      /**
       * One app is told within the transaction. Those of all are told one by one after it: none is to wait for the last
       * of them to be held.
       */
      const changing = <E>(
        appId: string | null,
        type: Extract<AuditAction, `telegram.${string}`>,
        payload: { readonly reason?: string | null },
        change: (scope: string) => Effect.Effect<boolean, E>
      ) =>
        Effect.gen(function* () {
          const scope = appId ?? ALL_APPS
          const isNews = yield* transaction(
            Effect.gen(function* () {
              yield* checkApp(appId)
              if (!(yield* change(scope))) return false
              yield* record({
                ...(appId === null ? { accountId: OPERATOR } : { appId }),
                action: type,
                detail: payload
              })
              if (appId !== null) yield* tell(scope, type, payload)
              return true
            })
          )
          if (isNews && appId === null) yield* tell(scope, type, payload)
          return isNews
        })

      const hold = (appId: string | null, reason: string | null) =>
        changing(appId, "telegram.held", { reason }, (scope) => put(scope, reason))

      const release = (appId: string | null) => changing(appId, "telegram.released", {}, lift).pipe(Effect.tap(finish))

      // Step by step: there may be many bots, and whoever dies on the way leaves the rest to the next. A hold that was
      // put and released again meanwhile has bots behind us that are to go on.
      const finishOne = Effect.fnUntraced(function* ({
        scope,
        kind,
        released_at
      }: {
        readonly scope: string
        readonly kind: HoldKind
        readonly released_at: string
      }) {
        let place: BotPlace | null = { app_id: "", channel_id: "" }
        while (place !== null) place = yield* goOn(scope, place).pipe(Effect.provideService(Database, database))
        if (kind === "app") yield* resumeApp(scope).pipe(Effect.provideService(Database, database))
        yield* query(
          (sql) =>
            sql`delete from telegram_holds
              where scope = ${scope} and kind = ${kind} and released_at = ${released_at}::text::timestamptz`
        )
      })
      const finish = Effect.gen(function* () {
        const released = yield* query<Array<{ scope: string; kind: HoldKind; released_at: string }>>(
          (sql) => sql`select scope, kind, released_at::text from telegram_holds where released_at is not null`
        )
        yield* Effect.forEach(released, finishOne, { discard: true })
      })

      return Holds.of({
        hold,
        release,
        finish,
        list: query<Array<Hold>>(
          (sql) =>
            sql`select nullif(scope, ${ALL_APPS}) as app_id, since, reason from telegram_holds where kind = 'telegram'
              and released_at is null order by scope`
        )
      })
    })
  )
}
