import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { auditing } from "#src/db/tenancy/auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { appCapsChange, capsChange } from "./capsChange.ts"
import { recount, recountPictures } from "./moneyStatements.ts"

const isDeadlock = ({ sqlState }: DatabaseError) => sqlState === "40P01"

/** The limits of one end-user. Null: no limit. Money in micro-USD, days and months in UTC. */
export interface EndUserLimits {
  readonly daily_message_limit: number | null
  readonly daily_limit_micro_usd: number | null
  readonly monthly_limit_micro_usd: number | null
  readonly daily_image_limit: number | null
}

/** The spending limits of an app. Beyond them sends are refused, unless `hard_stop` is false. */
export interface AppLimits {
  readonly daily_limit_micro_usd: number | null
  readonly monthly_limit_micro_usd: number | null
  readonly hard_stop: boolean
}

/** Usage so far, including reservations. */
export interface Used {
  readonly day_used_micro_usd: number
  readonly month_used_micro_usd: number
  readonly day_messages: number
  readonly day_images: number
}

export interface AppAllowance extends AppLimits, Used {
  /** Over HTTP. Null: the server's default for apps. */
  readonly messages_per_minute: number | null
  /** The limits of end-users without their own. */
  readonly defaults: EndUserLimits
}

export interface EndUserAllowance extends Used {
  readonly own: EndUserLimits
  /** Their own limits, with the app's defaults where they have none. */
  readonly effective: EndUserLimits
}

/** Missing fields stay as they are. */
export interface AppLimitsChange extends Partial<AppLimits> {
  readonly defaults?: Partial<EndUserLimits>
  readonly messages_per_minute?: number | null
}

const COLUMNS = [
  "daily_message_limit",
  "daily_limit_micro_usd",
  "monthly_limit_micro_usd",
  "daily_image_limit"
] as const
const NONE: EndUserLimits = {
  daily_message_limit: null,
  daily_limit_micro_usd: null,
  monthly_limit_micro_usd: null,
  daily_image_limit: null
}
const UNUSED: Used = { day_used_micro_usd: 0, month_used_micro_usd: 0, day_messages: 0, day_images: 0 }

interface Row extends EndUserLimits, Used {
  readonly hard_stop: boolean
}

const limitsOf = (row: EndUserLimits | undefined): EndUserLimits =>
  row === undefined
    ? NONE
    : {
        daily_message_limit: row.daily_message_limit,
        daily_limit_micro_usd: row.daily_limit_micro_usd,
        monthly_limit_micro_usd: row.monthly_limit_micro_usd,
        daily_image_limit: row.daily_image_limit
      }
const usedOf = (row: Used | undefined): Used =>
  row === undefined
    ? UNUSED
    : {
        day_used_micro_usd: row.day_used_micro_usd,
        month_used_micro_usd: row.month_used_micro_usd,
        day_messages: row.day_messages,
        day_images: row.day_images
      }

/**
 * Limits on what apps and their end-users may use, and their usage. Only limited apps and end-users have rows. A new
 * row starts with usage from the ledger, and is recounted shortly after to include what was accepted at the same
 * moment.
 */
export class Allowances extends Context.Service<
  Allowances,
  {
    readonly ofApp: (appId: string) => Effect.Effect<AppAllowance, DatabaseError>
    readonly limitApp: (
      appId: string,
      accountId: string,
      change: AppLimitsChange
    ) => Effect.Effect<AppAllowance, DatabaseError>
    /** Undefined: no such end-user. */
    readonly ofEndUser: (
      appId: string,
      externalUserRef: string
    ) => Effect.Effect<EndUserAllowance | undefined, DatabaseError>
    /** Creates the end-user if the app does not have them yet, so that caps apply from the first session on. */
    readonly limitEndUser: (
      appId: string,
      externalUserRef: string,
      change: Partial<EndUserLimits>
    ) => Effect.Effect<EndUserAllowance, DatabaseError>
    /** Recounts the usage of these apps from the ledger. Null: of all limited apps. */
    readonly recount: (appIds: ReadonlyArray<string> | null) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/billing/Allowances") {
  static readonly layer = Layer.effect(
    Allowances,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const record = auditing(database)

      const rowOf = (appId: string, kind: string, externalUserRef = "") =>
        query<Array<Row>>(
          (sql) => sql`
      select daily_message_limit, daily_limit_micro_usd, monthly_limit_micro_usd, daily_image_limit, hard_stop,
        day_used(a) as day_used_micro_usd, month_used(a) as month_used_micro_usd, day_sent(a) as day_messages,
          day_imaged(a) as day_images
      from allowances a where app_id = ${appId} and kind = ${kind} and external_user_ref = ${externalUserRef}`
        ).pipe(Effect.map((rows) => rows[0]))
      const write = (
        appId: string,
        kind: string,
        externalUserRef: string,
        change: Partial<EndUserLimits> & { readonly hard_stop?: boolean }
      ) =>
        query<Array<{ added: boolean }>>(
          (sql) => sql`
      insert into allowances ${sql({ app_id: appId, kind, external_user_ref: externalUserRef, ...change })}
      on conflict (app_id, kind, external_user_ref) do update set ${
        Object.keys(change).length === 0
          ? sql`kind =
        excluded.kind`
          : sql({ ...change })
      }
      returning xmax = 0 as added`
        ).pipe(Effect.map((rows) => rows[0]?.added === true))

      const countAnew = Effect.fnUntraced(function* (appId: string) {
        yield* query(
          (sql) =>
            sql`select 1 from allowances where app_id = ${appId} order by kind, external_user_ref for no key update`
        )
        yield* query((sql) => recount(sql, appId))
        yield* query((sql) => recountPictures(sql, appId))
      })
      const soonAgain = (appId: string) =>
        query(
          (sql) => sql`
      select graphile_worker.add_job('recount',
        ${JSON.stringify({ app_id: appId })}::text::json, run_at := now() + interval '20 seconds',
          job_key := 'recount:' || ${appId})`
        )

      const ofApp = Effect.fnUntraced(function* (appId: string) {
        const row = yield* rowOf(appId, "app")
        const { daily_limit_micro_usd, monthly_limit_micro_usd } = limitsOf(row)
        const [app] = yield* query<Array<{ messages_per_minute: number | null }>>(
          (sql) => sql`select messages_per_minute from apps where app_id = ${appId}`
        )
        return {
          daily_limit_micro_usd,
          monthly_limit_micro_usd,
          hard_stop: row?.hard_stop ?? true,
          messages_per_minute: app?.messages_per_minute ?? null,
          ...usedOf(row),
          defaults: limitsOf(yield* rowOf(appId, "default"))
        } satisfies AppAllowance
      })

      const ofEndUser = Effect.fnUntraced(function* (appId: string, externalUserRef: string) {
        const [known] = yield* query(
          (sql) => sql`select 1 from end_users where app_id = ${appId} and external_user_ref = ${externalUserRef}`
        )
        if (known === undefined) return undefined
        const row = yield* rowOf(appId, "end_user", externalUserRef)
        const own = limitsOf(row)
        const defaults = limitsOf(yield* rowOf(appId, "default"))
        const effective = Object.fromEntries(
          COLUMNS.map((column) => [column, own[column] ?? defaults[column]])
        ) as unknown as EndUserLimits
        return { own, effective, ...usedOf(row) } satisfies EndUserAllowance
      })

      // Locks the app's row before adding allowances, as opening a session does. Two transactions that add the same
      // allowances would otherwise deadlock.
      const lockApp = (appId: string) =>
        query((sql) => sql`select 1 from apps where app_id = ${appId} for no key update`)
      // An end-user without a row would not be counted, so this creates one for every end-user of the app.
      const limitByDefault = Effect.fnUntraced(function* (appId: string, defaults: Partial<EndUserLimits>) {
        yield* write(appId, "default", "", defaults)
        yield* query(
          (sql) => sql`
        insert into allowances (app_id, kind, external_user_ref) select app_id, 'end_user', external_user_ref
          from end_users where app_id = ${appId} on conflict do nothing`
        )
      })

      // A new budget gets new warnings (see BudgetWarnings), and has refused nothing yet.
      const forgetWarnings = (
        appId: string,
        { daily_limit_micro_usd: day, monthly_limit_micro_usd: month }: Partial<AppLimits>
      ) =>
        query(
          (sql) => sql`
      update allowances set day_warned = case
        when ${day === undefined} or daily_limit_micro_usd is not distinct
          from ${day ?? null}::bigint then day_warned else 0 end,
        month_warned = case when ${month === undefined} or monthly_limit_micro_usd is not distinct
          from ${month ?? null}::bigint then month_warned else 0 end,
        refused_at = null
      where app_id = ${appId} and kind = 'app'`
        )

      // Tries again after a deadlock: a send that began before the first limit of an app was set has not locked the new
      // rows, and may update them in another order.
      const retriedTransaction = <A>(self: Effect.Effect<A, DatabaseError>) =>
        Effect.retry(transaction(self), { times: 5, while: isDeadlock })

      const limitApp = Effect.fnUntraced(function* (
        appId: string,
        accountId: string,
        { defaults, messages_per_minute: rate, ...change }: AppLimitsChange
      ) {
        yield* lockApp(appId)
        const before = yield* ofApp(appId)
        yield* forgetWarnings(appId, change)
        if (rate !== undefined)
          yield* query((sql) => sql`update apps set messages_per_minute = ${rate} where app_id = ${appId}`)
        const added = Object.keys(change).length > 0 && (yield* write(appId, "app", "", change))
        if (defaults !== undefined) yield* limitByDefault(appId, defaults)
        if (added || defaults !== undefined) {
          yield* countAnew(appId)
          yield* soonAgain(appId)
        }
        yield* record({
          accountId,
          action: "caps.updated",
          appId,
          detail: appCapsChange(before, { ...change, messages_per_minute: rate, defaults })
        })
        return yield* ofApp(appId)
      }, retriedTransaction)

      const limitEndUser = Effect.fnUntraced(function* (
        appId: string,
        externalUserRef: string,
        change: Partial<EndUserLimits>
      ) {
        yield* lockApp(appId)
        const before = limitsOf(yield* rowOf(appId, "end_user", externalUserRef))
        if (yield* write(appId, "end_user", externalUserRef, change)) {
          yield* countAnew(appId)
          yield* soonAgain(appId)
        }
        // Locked after the allowances, in the order of an erasure. If an erasure has begun, it ends first, and this
        // inserts a new person.
        yield* query(
          (sql) => sql`
        insert into end_users (app_id, external_user_ref) values (${appId}, ${externalUserRef})
        on conflict (app_id, external_user_ref) do update set external_user_ref = excluded.external_user_ref`
        )
        yield* record({
          action: "end_user_caps.updated",
          appId,
          subject: externalUserRef,
          detail: capsChange(before, change)
        })
        const limited = yield* ofEndUser(appId, externalUserRef)
        return limited ?? (yield* Effect.die(new Error("an end-user who was just limited is gone")))
      }, retriedTransaction)

      const recountAll = Effect.fnUntraced(function* (appIds: ReadonlyArray<string> | null) {
        const apps =
          appIds ??
          (yield* query<Array<{ app_id: string }>>(
            (sql) => sql`select distinct app_id from allowances order by app_id`
          )).map((row) => row.app_id)
        yield* Effect.forEach(apps, (appId) => transaction(countAnew(appId)), { discard: true })
      })

      return Allowances.of({ ofApp, limitApp, ofEndUser, limitEndUser, recount: recountAll })
    })
  )
}
