import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { LogSignals } from "#channels/event-log/LogSignals.ts"
import type { OperationalNews } from "#channels/OperationalLog.ts"
import { appendOperational } from "#src/db/delivery/appendOperational.ts"
import { auditing, type AuditAction } from "#src/db/tenancy/auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { resumeApp } from "#src/db/conversation/resumeApp.ts"
import { OPERATOR } from "#src/db/tenancy/operator.ts"
import { type BotPosition, resumeBots } from "./resumeBots.ts"
import {
  lifting,
  suspending,
  type SuspensionKind,
  suspensionRows,
  type NoSuchApp
} from "#src/db/delivery/suspensionRows.ts"
import { ALL_APPS } from "#src/db/delivery/isSuspendedByOperator.ts"

/** The state before and after, for the audit log. */
interface StateChange {
  readonly before: object
  readonly after: object
}

export interface TelegramSuspension {
  /** `delivery`: not only bots, but everything that is sent, after a restore. */
  readonly kind: "telegram" | "delivery"
  /** Null: of all apps. */
  readonly app_id: string | null
  readonly since: Date
  readonly reason: string | null
}

/**
 * Immediate suspensions by the operator: of an app's bots, or of all bots including those that are attached later.
 * Statements that claim updates or lanes, take a slot for a typing indicator, or record the intent to send also check
 * for suspensions. So only what was already being sent goes out. People's messages are kept in order. Suspending a bot
 * through the app is independent of this.
 */
export class TelegramSuspensions extends Context.Service<
  TelegramSuspensions,
  {
    /** False: it was already suspended, and only the reason was updated. */
    readonly suspend: (appId: string | null, reason: string | null) => Effect.Effect<boolean, NoSuchApp | DatabaseError>
    /** False: there was no such suspension. */
    readonly resume: (appId: string | null) => Effect.Effect<boolean, NoSuchApp | DatabaseError>
    /** Resumes what was parked by a suspension that has been lifted, of bots or of an app. */
    readonly finish: Effect.Effect<void, DatabaseError>
    readonly list: Effect.Effect<ReadonlyArray<TelegramSuspension>, DatabaseError>
  }
>()("src/db/telegram/TelegramSuspensions") {
  static readonly layer = Layer.effect(
    TelegramSuspensions,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const record = auditing(database)
      const services = yield* Effect.context<Database | LogSignals>()

      const { checkApp, put, lift } = suspensionRows(database, "telegram")

      /**
       * The apps with bots that only this suspension stops. Suspended apps do not count, because they have events of
       * their own.
       */
      const affectedApps = (scope: string) =>
        query<Array<{ app_id: string }>>(
          (sql) => sql`
      select distinct b.app_id from telegram_bots b
      where b.status <> 'detached' and ${scope} in (${ALL_APPS}, b.app_id)
        and not exists (select from telegram_holds h where h.kind = 'telegram' and h.released_at is null
          and h.scope in (${ALL_APPS}, b.app_id) and h.scope <> ${scope})
      order by b.app_id`
        )
      const tell = (scope: string, news: Extract<OperationalNews, { readonly type: `telegram.${string}` }>) =>
        Effect.flatMap(affectedApps(scope), (apps) =>
          Effect.forEach(
            apps,
            ({ app_id: appId }) =>
              transaction(appendOperational({ ...news, appId })).pipe(Effect.provideContext(services)),
            { discard: true }
          )
        )

      /**
       * A single app is notified in the transaction. For all apps, they are notified one by one after it, so that the
       * suspension need not wait for the last one.
       */
      const changing = <E>(
        appId: string | null,
        news: Extract<OperationalNews, { readonly type: Extract<AuditAction, `telegram.${string}`> }>,
        change: (scope: string) => Effect.Effect<StateChange | null, E>
      ) =>
        Effect.gen(function* () {
          const scope = appId ?? ALL_APPS
          const isNews = yield* transaction(
            Effect.gen(function* () {
              yield* checkApp(appId)
              const changed = yield* change(scope)
              if (changed === null) return false
              yield* record({
                ...(appId === null ? { accountId: OPERATOR } : { appId }),
                action: news.type,
                detail: { ...news.payload, ...changed }
              })
              if (appId !== null) yield* tell(scope, news)
              return true
            })
          )
          if (isNews && appId === null) yield* tell(scope, news)
          return isNews
        })

      const suspend = (appId: string | null, reason: string | null) =>
        changing(appId, { type: "telegram.held", payload: { reason } }, (scope) =>
          Effect.map(put(scope, reason), (before) => (before === null ? suspending(before, reason) : null))
        )

      const resume = (appId: string | null) =>
        changing(appId, { type: "telegram.released", payload: {} }, (scope) =>
          Effect.map(lift(scope), (before) => (before === null ? null : lifting(before)))
        ).pipe(Effect.tap(finish))

      const everyApp = Effect.map(
        query<Array<{ app_id: string }>>((sql) => sql`select app_id from apps order by app_id`),
        (rows) => rows.map(({ app_id }) => app_id)
      )

      // Works in steps, because there may be many bots. After a crash the next run continues. If the suspension was set
      // and lifted again in the meantime, bots that were already processed have to be resumed again.
      const finishOne = Effect.fnUntraced(function* ({
        scope,
        kind,
        released_at
      }: {
        readonly scope: string
        readonly kind: SuspensionKind
        readonly released_at: string
      }) {
        let after: BotPosition | null = { app_id: "", channel_id: "" }
        while (after !== null) after = yield* resumeBots(scope, after).pipe(Effect.provideService(Database, database))
        const apps = kind === "app" || kind === "move" ? [scope] : kind === "delivery" ? yield* everyApp : []
        yield* Effect.forEach(apps, (appId) => resumeApp(appId).pipe(Effect.provideService(Database, database)), {
          discard: true
        })
        yield* query(
          (sql) =>
            sql`delete from telegram_holds
              where scope = ${scope} and kind = ${kind} and released_at = ${released_at}::text::timestamptz`
        )
      })
      const finish = Effect.gen(function* () {
        const released = yield* query<Array<{ scope: string; kind: SuspensionKind; released_at: string }>>(
          (sql) => sql`select scope, kind, released_at::text from telegram_holds where released_at is not null`
        )
        yield* Effect.forEach(released, finishOne, { discard: true })
      })

      return TelegramSuspensions.of({
        suspend,
        resume,
        finish,
        list: query<Array<TelegramSuspension>>(
          (sql) =>
            sql`select kind, nullif(scope, ${ALL_APPS}) as app_id, since, reason from telegram_holds
              where kind in ('telegram', 'delivery') and released_at is null order by scope, kind`
        )
      })
    })
  )
}
