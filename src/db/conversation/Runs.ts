import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type postgres from "postgres"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"

type Fragment = postgres.PendingQuery<postgres.Row[]>

export const RUN_KINDS = ["reply", "proactive", "relational_update", "probe", "research", "eval", "image"] as const
export const RUN_STATUSES = [
  "queued",
  "running",
  "replied",
  "withheld",
  "exited",
  "failed",
  "completed",
  "cancelled",
  "budget_stopped"
] as const

export interface Run {
  readonly run_ref: string
  /** The turn that it belongs to, unless it is the turn itself. */
  readonly parent_ref: string | null
  /** Null: it belongs to no session, or to one of an eval, which the app does not see. */
  readonly session_id: string | null
  readonly kind: (typeof RUN_KINDS)[number]
  readonly status: (typeof RUN_STATUSES)[number]
  readonly attempts: number
  /** ISO 8601, with any offset. */
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly error_code: string | null
  /** Its position in the list. */
  readonly place: string
}

export interface RunFilter {
  readonly kind: string | null
  readonly status: string | null
  /** Runs after this position, which comes from a previous page. */
  readonly after: string | null
  readonly limit: number
}

export interface RunPage {
  readonly runs: ReadonlyArray<Run>
  /** Where the next page begins. Null at the end. A filtered page may be short or empty without being the last. */
  readonly next: string | null
}

/** How many turns one page of a filtered list searches. */
const MAX_SEARCHED = 1_000
/** Sorts after all runs of a turn. */
const LAST_PART = 99_999
/** A turn index, and 0 for the turn, 1 for its extraction, or more for a picture that belongs to it. */
const SESSION_POSITION = /^(\d{1,9})-(\d{1,5})$/
const APP_POSITION = /^(\d{1,16})-((?:run|evr)_[0-9A-Z]{26})-(\d{1,5})$/
export const isSessionPosition = (place: string): boolean => SESSION_POSITION.test(place)
export const isAppPosition = (place: string): boolean => APP_POSITION.test(place)

/** For a picture `i`: its position among those of its turn, and the fields of its run. */
const partOfImage = (sql: Sql) => sql`1 + row_number() over (order by i.image_id)::int`
const imageRun = (sql: Sql) => sql`'image',
  case i.status when 'generating' then 'running' when 'ready' then 'completed' when 'queued' then 'queued'
    else 'failed' end,
  i.attempt, i.started_at, i.finished_at, case i.status when 'blocked' then coalesce(i.error_code, 'blocked')
    else i.error_code end`
/**
 * Whether a picture `i` belongs to no turn: it was requested before the first turn of its session, or without a
 * session.
 */
const isAlone = (sql: Sql) => sql`not exists (
  select from turns n where n.app_id = i.app_id and n.session_id = i.session_id and n.turn_index = i.turn_index
)`

/**
 * For each turn `t`, with its list position as `at_place`: the turn itself, and its extraction once the turn has ended.
 * Each run has its own name, because a client that maps them by `trace_id` must find the turn under its `run_ref`.
 */
const runsOf = (sql: Sql) => sql`
  select r.run_ref, r.parent_ref, t.run_ref as turn_ref, t.session_id, t.at_place || '-' || r.part as place, r.part,
    r.kind, r.status, r.attempts, r.started_at, r.finished_at, r.error_code
  from t left join relationships n using (app_id, session_id) cross join lateral (
    select t.run_ref, null::text as parent_ref, 0 as part, case when t.initiative is null then 'reply' else 'proactive'
      end as kind, coalesce(t.outcome, case when t.owner is null then 'queued' else 'running' end) as status,
      t.fence - t.deferred::int as attempts, case when t.outcome is null and t.owner is null
        and t.fence - t.deferred::int = 0 then null else t.started_at end as started_at,
      t.settled_at as finished_at, t.failure_reason as error_code
    union all
    select t.run_ref || '-update', t.run_ref, 1, 'relational_update', case when t.turn_index <= coalesce(n.read_turn,
      0) then 'completed' else 'queued' end, (g.started_at is not null)::int, g.started_at,
      g.started_at + g.latency_ms * interval '1 millisecond', g.error_code
    from (select) one left join lateral (
      select started_at, latency_ms, error_code from turn_stages s
      where s.app_id = t.app_id and s.session_id = t.session_id and s.turn_index = t.turn_index
        and s.stage = 'relational_update' order by fence desc, seq desc limit 1
    ) g on true
    where t.outcome is not null
    union all
    select i.run_ref, i.turn_ref, ${partOfImage(sql)}, ${imageRun(sql)}
    from images i where i.app_id = t.app_id and i.session_id = t.session_id and i.turn_index = t.turn_index
  ) r`

/**
 * Current and past work, newest first: turns, each followed by its extraction and the pictures requested in it, and
 * other paid work.
 */
export class Runs extends Context.Service<
  Runs,
  {
    readonly ofSession: (appId: string, sessionId: string, filter: RunFilter) => Effect.Effect<RunPage, DatabaseError>
    /** Includes evals. Ordered by acceptance time. */
    readonly ofApp: (appId: string, filter: RunFilter) => Effect.Effect<RunPage, DatabaseError>
  }
>()("src/db/conversation/Runs") {
  static readonly layer = Layer.effect(
    Runs,
    Effect.gen(function* () {
      const { query } = yield* Database

      interface Searched {
        readonly runs: ReadonlyArray<Run>
        readonly turns: number
        /** The last turn that was searched. */
        readonly last: string | null
      }
      const turnsSearched = ({ kind, status, limit }: RunFilter) =>
        kind === null && status === null ? limit + 2 : MAX_SEARCHED
      const toPage = ({ limit, ...filter }: RunFilter, { runs, turns, last }: Searched): RunPage => {
        if (runs.length > limit) return { runs: runs.slice(0, limit), next: runs[limit - 1]?.place ?? null }
        return {
          runs,
          next: turns < turnsSearched({ ...filter, limit }) || last === null ? null : `${last}-${LAST_PART}`
        }
      }

      /**
       * The runs among the turns that `turns` returns (newest first, with `at_place` and `nth`), after the part of the
       * turn at `after`, and `others`, in the form of `runsOf` with `nth`.
       */
      const search = (
        sql: Sql,
        turns: Fragment,
        filter: RunFilter,
        after: { readonly turn: string; readonly part: number } | null,
        others: Fragment = sql``
      ) => sql`
      with t as materialized (${turns})
      select (select count(*)::int from t) as turns, (select at_place from t order by nth desc limit 1) as last,
        coalesce(json_agg(to_json(r) order by r.nth, r.part), '[]') as runs from (
        select * from (select x.*, t.nth, t.at_place
          from (${runsOf(sql)}) x join t on t.run_ref = x.turn_ref ${others}) x
        where (${filter.kind}::text is null
          or x.kind = ${filter.kind}) and (${filter.status}::text is null or x.status = ${filter.status})
          ${after === null ? sql`` : sql`and not (x.at_place = ${after.turn} and x.part <= ${after.part}::int)`}
        order by x.nth, x.part limit ${filter.limit + 1}::int
      ) r`

      return Runs.of({
        ofSession: (appId, sessionId, filter) => {
          const [, turn = null, part = "0"] = SESSION_POSITION.exec(filter.after ?? "") ?? []
          return query<Array<Searched>>((sql) =>
            search(
              sql,
              sql`
          select t.*, t.turn_index::text as at_place, row_number() over (order by t.turn_index desc) as nth from turns t
          where t.app_id = ${appId} and t.session_id =
            ${sessionId} and (${turn}::text is null or t.turn_index <= ${turn}::text::int)
          order by t.turn_index desc limit ${turnsSearched(filter)}::int`,
              filter,
              turn === null ? null : { turn, part: Number(part) },
              sql`
            union all
            select i.run_ref, null, null, i.session_id, i.turn_index || '-' || ${partOfImage(sql)}, ${partOfImage(sql)},
              ${imageRun(sql)}, 1, i.turn_index::text
            from images i where i.app_id = ${appId} and i.session_id = ${sessionId} and ${isAlone(sql)}`
            )
          ).pipe(Effect.map(([found]) => toPage(filter, found ?? { runs: [], turns: 0, last: null })))
        },
        // Uses the ledger, which has an entry in time order for everything that an app pays for, including turns that
        // were erased since.
        ofApp: (appId, filter) => {
          const [, micros = null, runRef = null, part = "0"] = APP_POSITION.exec(filter.after ?? "") ?? []
          const place = (sql: Sql) => sql`(floor(extract(epoch from l.at) * 1000000)::bigint)`
          const page = (sql: Sql) => sql`
          ${
            micros === null
              ? sql``
              : sql`and l.at < 'epoch'::timestamptz +
            (${micros}::text::bigint + 1) * interval '1 microsecond'
              and (${place(sql)}, l.run_ref) <= (${micros}::text::bigint, ${runRef})`
          }
          order by l.at desc, l.run_ref desc limit ${turnsSearched(filter)}::int`
          return query<Array<Searched>>((sql) =>
            search(
              sql,
              sql`
          select t.*, l.run_ref as entry_ref,
            ${place(sql)} || '-' || l.run_ref as at_place, row_number() over (order by l.at desc, l.run_ref desc) as nth
          from (
            select * from (
              (select app_id, session_id, turn_index, run_ref, at from ledger l
                where l.app_id = ${appId} and (l.entry = 'hold' or (l.entry = 'settle' and l.activity in ('probe',
                  'research') and l.amount_micro_usd >= 0) or (
                l.activity = 'image' and l.pictures > 0
                and exists (select from images i where i.app_id = l.app_id and i.run_ref = l.run_ref
                  and ${isAlone(sql)})
              )) ${page(sql)})
              union all
              (select * from (select app_id, null::text, null::int, run_id, created_at from eval_runs
                where app_id = ${appId}) as l(app_id, session_id, turn_index, run_ref, at) where true ${page(sql)})
            ) l order by at desc, run_ref desc limit ${turnsSearched(filter)}::int
          ) l left join turns t using (app_id, session_id, turn_index)`,
              filter,
              micros === null ? null : { turn: `${micros}-${runRef}`, part: Number(part) },
              sql`
            union all
            select r.run_id, null, r.run_id, null, t.at_place || '-0', 0, 'eval', r.status,
              (r.started_at is not null)::int, r.started_at, r.finished_at, r.error_code, t.nth, t.at_place
            from t join eval_runs r on r.app_id = ${appId} and r.run_id = t.entry_ref
            union all
            select m.run_ref, null, m.run_ref, m.session_id, t.at_place || '-0', 0, m.kind, m.status, m.attempts,
              m.started_at, m.finished_at, m.error_code, t.nth, t.at_place
            from t join metered_runs m on m.app_id = ${appId} and m.run_ref = t.entry_ref
            union all
            select i.run_ref, null, i.run_ref, i.session_id, t.at_place || '-0', 0, ${imageRun(sql)}, t.nth, t.at_place
            from t join images i on i.app_id = ${appId} and i.run_ref = t.entry_ref`
            )
          ).pipe(Effect.map(([found]) => toPage(filter, found ?? { runs: [], turns: 0, last: null })))
        }
      })
    })
  )
}
