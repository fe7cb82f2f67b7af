import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type postgres from "postgres"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { decidedOf, skippedByOf } from "./proactiveOutcomes.ts"

type Fragment = postgres.PendingQuery<postgres.Row[]>

export const TIMELINE_KINDS = [
  "event",
  "run",
  "memory",
  "loop",
  "emotion",
  "proactive_decision",
  "delivery",
  "safety",
  "storyline"
] as const

export interface TimelineItem {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly kind: (typeof TIMELINE_KINDS)[number]
  readonly ref: string
  readonly title: string
  readonly detail: Readonly<Record<string, unknown>>
  /** Distinguishes items with the same time. */
  readonly key: string
}

/** Where a page begins: before this time, or at this time and below this key. */
export interface TimelinePosition {
  readonly atMs: number
  readonly key: string
}

/** Everything that has happened in a session, in one sequence. */
export class Timeline extends Context.Service<
  Timeline,
  {
    /** Newest first. */
    readonly before: (
      appId: string,
      sessionId: string,
      page: { readonly before: TimelinePosition | null; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<TimelineItem>, DatabaseError>
  }
>()("src/db/conversation/Timeline") {
  static readonly layer = Layer.effect(
    Timeline,
    Effect.gen(function* () {
      const { query } = yield* Database
      return Timeline.of({
        before: (appId, sessionId, { before, limit }) =>
          query<Array<TimelineItem>>((sql) => {
            const own = sql`app_id = ${appId} and session_id = ${sessionId}`
            const ms = (at: string) => sql`floor(extract(epoch from ${sql(at)}) * 1000)::float8`
            /**
             * The items of one table after the position, newest first. Its rows were written in time order. `n`
             * distinguishes them.
             */
            const newest = (kind: TimelineItem["kind"], at: string, n: Fragment, written: Fragment) => sql`
          ${
            before === null
              ? sql``
              : sql`and
            ${sql(at)} < ${new Date(before.atMs + 1)}
              and (${ms(at)}, ${kind}::text || '-' || ${n}) < (${before.atMs}::float8, ${before.key})`
          }
          order by ${written} desc limit ${limit}::int`
            const item = (kind: TimelineItem["kind"], at: string, n: Fragment) =>
              sql`${ms(at)} as at, ${kind}::text as kind, ${kind}::text || '-' || ${n} as key`
            const [cursor, turn, version, decision] = [
              sql`lpad(cursor::text, 12, '0')`,
              sql`lpad(turn_index::text, 9, '0')`,
              sql`lpad(p.version::text, 9, '0')`,
              sql`decision_id`
            ]
            const [memory, loop] = [sql`memory_id`, sql`loop_id`]
            const step = sql`lpad(step::text, 9, '0')`
            const attempt = sql`channel_id || '-' || lpad(cursor::text, 12, '0') || '-' || part || '-' || fence`
            const stage = sql`lpad(g.turn_index::text, 9, '0') || '-' || lpad(g.fence::text, 5,
              '0') || '-' || lpad(g.seq::text, 5, '0')`
            return sql`
          (select ${item("event", "created_at", cursor)}, id as ref, type as title, json_build_object('cursor', cursor,
            'role', role, 'trace_id', trace_id) as detail
            from events where ${own} ${newest("event", "created_at", cursor, sql`cursor`)})
          union all
          (select ${item("run", "settled_at", turn)}, run_ref, outcome,
              json_build_object('turn_index', turn_index, 'kind', case when initiative is null then 'reply'
                else 'proactive' end, 'reply_mode', reply_mode, 'error_code', failure_reason)
            from turns where ${own} and outcome is not null
              and settled_at is not null ${newest("run", "settled_at", turn, sql`turn_index`)})
          union all
          (select ${item("memory", "created_at", memory)}, memory_id, kind, json_build_object('status', status,
            'subject', subject, 'source', source, 'text', text)
            from memories where ${own} ${newest("memory", "created_at", memory, memory)})
          union all
          (select ${item("loop", "created_at", loop)}, loop_id, kind, json_build_object('status', status, 'owner',
            owner, 'text', text, 'due_at', due_at)
            from open_loops where ${own} and text <> '' ${newest("loop", "created_at", loop, loop)})
          union all
          (select ${item("emotion", "p.at", version)}, t.run_ref, p.patch #>> '{bearing,emotion,label}',
            json_build_object('valence', p.patch #> '{bearing,emotion,valence}', 'arousal',
              p.patch #> '{bearing,emotion,arousal}')
            from relational_patches p join turns t using (app_id, session_id, turn_index)
            where p.app_id = ${appId} and p.session_id =
              ${sessionId} and p.patch #>> '{bearing,emotion,label}' is not null
                ${newest("emotion", "p.at", version, sql`p.version`)})
          union all
          (select ${item("proactive_decision", "at", decision)}, decision_id, decision, json_build_object('reason',
            reason, 'skipped_by', skipped_by)
            from (
              select d.app_id, d.session_id, d.at, d.decision_id, d.reason,
                ${decidedOf(sql)} as decision, ${skippedByOf(sql)} as skipped_by
              from proactive_decisions d left join turns t on t.app_id = d.app_id and t.session_id = d.session_id
                and t.turn_index = d.turn_index
            ) d where ${own} ${newest("proactive_decision", "at", decision, decision)})
          union all
          (select ${item("delivery", "started_at", attempt)}, event_id, outcome, json_build_object('channel_id',
            channel_id, 'event_cursor', cursor, 'status_code', status_code, 'error_code', error_code)
            from delivery_attempts where ${own} ${newest(
              "delivery",
              "started_at",
              attempt,
              sql`${ms("started_at")}
              desc, ${attempt}`
            )})
          union all
          (select ${item("safety", "g.started_at", stage)}, t.run_ref, g.decision, json_build_object('turn_index',
            g.turn_index)
            from turn_stages g join turns t using (app_id, session_id, turn_index)
            where g.app_id = ${appId} and g.session_id =
              ${sessionId} and g.stage = 'safety'
                and g.decision <> 'allow' ${newest(
                  "safety",
                  "g.started_at",
                  stage,
                  sql`(g.turn_index, g.fence,
                  g.seq)`
                )})
          union all
          (select ${item("storyline", "entered_at", step)}, storyline_id, beat, json_build_object('turn_index',
            turn_index, 'trigger', trigger)
            from storyline_steps where ${own} ${newest("storyline", "entered_at", step, sql`step`)})
          order by at desc, key desc limit ${limit}::int`
          })
      })
    })
  )
}
