import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { newId } from "#pipeline/domain/Id.ts"
import type { Purpose } from "#pipeline/research/Change.ts"
import type { Upheld } from "#pipeline/research/uphold.ts"
import { claimRun, leaveRun } from "./claimRun.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import { type CharacterRef, Evidence, sha256Of } from "./Evidence.ts"
import { Expenses } from "#src/db/billing/Expenses.ts"
import { NotAffordable } from "./Probes.ts"

export const RESEARCH_STATUSES = ["queued", "running", "completed", "failed", "cancelled"] as const
export type ResearchStatus = (typeof RESEARCH_STATUSES)[number]

export interface ResearchSource {
  readonly place: number
  readonly kind: "text" | "evidence" | "url"
  readonly url: string | null
  readonly evidence_id: string | null
  readonly title: string | null
  readonly status: "queued" | "read" | "failed"
  readonly parts_read: number
  readonly parts: number | null
  readonly error_code: string | null
}

export interface StoredResearch {
  readonly app_id: string
  readonly slug: string
  readonly research_id: string
  readonly run_ref: string
  readonly question: string
  readonly purpose: Purpose
  readonly status: ResearchStatus
  readonly attempts: number
  readonly max_micro_usd: number
  readonly held_micro_usd: number
  readonly spent_micro_usd: number
  readonly error_code: string | null
  readonly created_at: Date
  readonly started_at: Date | null
  readonly finished_at: Date | null
  readonly sources: ReadonlyArray<ResearchSource>
  readonly found: number
}
type Run = Pick<StoredResearch, "app_id" | "slug" | "research_id">

/** `parts`: null for what is yet to be fetched. */
export interface NewSource {
  readonly kind: ResearchSource["kind"]
  readonly url: string | null
  readonly evidenceId: string | null
  readonly text: string | null
  readonly parts: number | null
}

export interface NewResearch {
  readonly question: string
  readonly purpose: Purpose
  readonly sources: ReadonlyArray<NewSource>
  readonly maxMicroUsd: number
  /** What it may cost at most by plan. */
  readonly plannedMicroUsd: number
}

/** Runs of an app that have not ended: what one app asks for must not keep the others waiting for long. */
export const MOST_OPEN_RESEARCH = 20
export class TooMuchResearch extends Schema.TaggedError<TooMuchResearch>()("TooMuchResearch", {}) {}

/** A source that is being read, with its text; null: it has not been fetched. */
export type OpenSource = ResearchSource & { readonly text: string | null }

/** Findings of one run. */
const MOST_FINDINGS = 50

const columns = (
  sql: Sql
) => sql`r.app_id, r.slug, r.research_id, r.run_ref, r.question, r.purpose, r.status, r.attempts, r.max_micro_usd,
  r.held_micro_usd, r.spent_micro_usd, r.error_code, r.created_at, r.started_at, r.finished_at,
  (select coalesce(json_agg(json_build_object('place', s.place, 'kind', s.kind, 'url', s.url, 'evidence_id',
    s.evidence_id, 'title', s.title, 'status', s.status, 'parts_read', s.parts_read, 'parts', s.parts, 'error_code',
      s.error_code) order by s.place), '[]')
    from research_sources s where s.app_id = r.app_id and s.slug = r.slug and s.research_id = r.research_id) as sources,
  (select count(*)::int from findings f where f.app_id = r.app_id and f.slug = r.slug
    and f.research_id = r.research_id) as found`

/**
 * Runs that read sources for what answers a question: queued, running, then completed, failed or cancelled. What was
 * read of a source, what was found in it and what that has cost are one transaction, so that whoever goes on with a run
 * neither reads nor pays for a part twice. What was not spent is given back at the end.
 */
export class Research extends Context.Service<
  Research,
  {
    readonly begin: (
      of: CharacterRef,
      research: NewResearch
    ) => Effect.Effect<StoredResearch, NotAffordable | TooMuchResearch | DatabaseError>
    readonly get: (of: CharacterRef, researchId: string) => Effect.Effect<StoredResearch | undefined, DatabaseError>
    /** The newest first. */
    readonly list: (
      of: CharacterRef,
      filter: { readonly status: string | null; readonly before: string | null; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<StoredResearch>, DatabaseError>
    /** Ends it where it is, if it has not ended. Undefined: no such run. */
    readonly cancel: (of: CharacterRef, researchId: string) => Effect.Effect<StoredResearch | undefined, DatabaseError>
    readonly claim: (
      owner: string,
      except: ReadonlyArray<string>
    ) => Effect.Effect<StoredResearch | undefined, DatabaseError>
    /** The first that has not been read. */
    readonly nextSource: (run: Run) => Effect.Effect<OpenSource | undefined, DatabaseError>
    /** What was fetched. False, here and below: somebody else works at it by now, or it was cancelled. */
    readonly fetched: (
      owner: string,
      run: Run,
      place: number,
      page: { readonly title: string | null; readonly text: string; readonly parts: number }
    ) => Effect.Effect<boolean, DatabaseError>
    readonly sourceFailed: (
      owner: string,
      run: Run,
      place: number,
      code: string
    ) => Effect.Effect<boolean, DatabaseError>
    /**
     * A part has been read, at this cost, which is booked even where the run was ended or taken over while the model
     * read.
     */
    readonly partRead: (
      owner: string,
      run: Run,
      source: OpenSource,
      upheld: ReadonlyArray<Upheld>,
      costMicroUsd: number
    ) => Effect.Effect<boolean, DatabaseError>
    /** Leaves it to another worker, who goes on with it. */
    readonly leave: (owner: string, run: StoredResearch) => Effect.Effect<void, DatabaseError>
    readonly finish: (
      owner: string,
      run: Run,
      end: { readonly status: "completed" | "failed"; readonly errorCode: string | null }
    ) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/research/Research") {
  static readonly layer = Layer.effect(
    Research,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const expenses = yield* Expenses
      const evidence = yield* Evidence

      const get = ({ appId, slug }: CharacterRef, id: string) =>
        query<Array<StoredResearch>>(
          (sql) => sql`
      select ${columns(sql)} from research r where r.app_id = ${appId} and r.slug = ${slug} and r.research_id = ${id}`
        ).pipe(Effect.map((rows) => rows[0]))

      const begin = Effect.fnUntraced(function* (
        of: CharacterRef,
        { question, purpose, sources, maxMicroUsd, plannedMicroUsd }: NewResearch
      ) {
        const { appId, slug } = of
        // One after another, or all of many at once would be the last that there is room for.
        yield* query((sql) => sql`select pg_advisory_xact_lock(hashtextextended(${`research ${appId}`}, 0))`)
        const [{ open } = { open: 0 }] = yield* query<Array<{ open: number }>>(
          (sql) => sql`select count(*)::int as open from research where app_id = ${appId} and finished_at is null`
        )
        if (open >= MOST_OPEN_RESEARCH) return yield* new TooMuchResearch()
        const [id, runRef, held] = [newId("rsr"), newId("run"), Math.min(maxMicroUsd, plannedMicroUsd)]
        if ((yield* expenses.take({ appId, sessionId: null }, "research", held, runRef)) === null)
          return yield* new NotAffordable()
        yield* query(
          (sql) => sql`
        insert into research (app_id, slug, research_id, run_ref, question, purpose, max_micro_usd, held_micro_usd)
          values (${appId}, ${slug}, ${id}, ${runRef}, ${question}, ${purpose}, ${maxMicroUsd}, ${held})`
        )
        const rows = sources.map(({ kind, url, evidenceId, text, parts }, place) => ({
          place,
          kind,
          url,
          evidence_id: evidenceId,
          text,
          sha256: text === null ? null : sha256Of(text),
          parts
        }))
        yield* query(
          (sql) => sql`
        insert into research_sources (app_id, slug, research_id, place, kind, url, evidence_id, text, sha256, parts)
        select ${appId}, ${slug}, ${id}, s.*
          from json_to_recordset(${JSON.stringify(rows)}::text::json) as s(place int, kind text, url text,
            evidence_id text, text text, sha256 text, parts int)`
        )
        yield* query((sql) => sql`select graphile_worker.add_job('research', '{}'::json)`)
        return (yield* get(of, id)) ?? (yield* Effect.die(new Error("a run just written is gone")))
      }, transaction)

      /** Under the lock of the run's row, if it is still this worker's to write. */
      const isOurs = (owner: string, { app_id, slug, research_id }: Run) =>
        query(
          (sql) => sql`
      select 1 from research where app_id =
        ${app_id} and slug = ${slug} and research_id =
          ${research_id} and owner = ${owner} and status = 'running' for update`
        ).pipe(Effect.map((rows) => rows.length > 0))

      const expenseOf = (appId: string, runRef: string) => ({
        appId,
        sessionId: null,
        runRef,
        activity: "research" as const
      })

      /**
       * What a call has cost whose run is not this worker's any more: of one that has ended the books are closed, and
       * it comes on top.
       */
      const spentLate = Effect.fnUntraced(function* ({ app_id, slug, research_id }: Run, microUsd: number) {
        const [run] = yield* query<Array<{ run_ref: string; ended: boolean }>>(
          (sql) => sql`
        update research set spent_micro_usd = spent_micro_usd +
          ${microUsd} where app_id = ${app_id}
            and slug = ${slug} and research_id = ${research_id} returning run_ref, finished_at is not null as ended`
        )
        if (run?.ended === true && microUsd > 0) yield* expenses.add({ ...expenseOf(app_id, run.run_ref), microUsd })
      })

      /** What is not spent goes back, what was spent beyond what was held is booked, and the texts go. */
      const settle = Effect.fnUntraced(function* ({ app_id, slug, research_id }: Run) {
        const [run] = yield* query<Array<{ run_ref: string; left: number }>>(
          (sql) => sql`
        select run_ref, held_micro_usd - spent_micro_usd as left from research
          where app_id = ${app_id} and slug = ${slug} and research_id = ${research_id}`
        )
        if (run !== undefined && run.left > 0)
          yield* expenses.giveBack({ ...expenseOf(app_id, run.run_ref), microUsd: run.left })
        if (run !== undefined && run.left < 0)
          yield* expenses.add({ ...expenseOf(app_id, run.run_ref), microUsd: -run.left })
        yield* query(
          (sql) =>
            sql`update research_sources set text = null
              where app_id = ${app_id} and slug = ${slug} and research_id = ${research_id}`
        )
      })

      const change = (owner: string, run: Run, write: Parameters<typeof query>[0]) =>
        transaction(
          Effect.gen(function* () {
            if (!(yield* isOurs(owner, run))) return false
            yield* query(write)
            return true
          })
        )

      const partRead = Effect.fnUntraced(function* (
        owner: string,
        run: Run,
        source: OpenSource,
        upheld: ReadonlyArray<Upheld>,
        costMicroUsd: number
      ) {
        if (!(yield* isOurs(owner, run))) return yield* Effect.as(spentLate(run, costMicroUsd), false)
        const { app_id: appId, slug, research_id: researchId } = run
        const of = { appId, slug }
        const [{ there } = { there: 0 }] = yield* query<Array<{ there: number }>>(
          (sql) => sql`
        select count(*)::int as there from findings
          where app_id = ${appId} and slug = ${slug} and research_id = ${researchId}`
        )
        const now = yield* Clock.currentTimeMillis
        const passages = new Map<string, string>()
        for (const { claim, confidence, quote, passage, change } of upheld.slice(
          0,
          Math.max(0, MOST_FINDINGS - there)
        )) {
          const evidenceId =
            source.evidence_id ??
            passages.get(passage) ??
            (yield* evidence
              .create(of, {
                kind: "quote",
                text: passage,
                trust: source.kind === "url" ? "web" : "app",
                status: "active",
                sessionId: null,
                researchId,
                source: {
                  title: source.title,
                  url: source.url,
                  ...(source.kind === "url" && { retrieved_at: new Date(now).toISOString() }),
                  ...(source.text !== null && { sha256: sha256Of(source.text) })
                }
              })
              .pipe(
                Effect.map(({ evidence_id }) => evidence_id),
                Effect.catchTag("EvidenceLimitReached", () => Effect.succeed(null))
              ))
          if (evidenceId === null) break
          passages.set(passage, evidenceId)
          const findingId = newId("fnd")
          yield* query(
            (sql) => sql`
          insert into findings (app_id, slug, finding_id, research_id, claim, confidence, proposed_change)
          values (${appId}, ${slug}, ${findingId},
            ${researchId}, ${claim}, ${confidence}, ${change === null ? null : JSON.stringify(change)}::text::json)`
          )
          yield* query(
            (sql) =>
              sql`insert into finding_quotes (app_id, slug, finding_id, evidence_id, quote)
                values (${appId}, ${slug}, ${findingId}, ${evidenceId}, ${quote})`
          )
        }
        yield* query(
          (sql) => sql`
        update research_sources set parts_read = parts_read + 1, status = case when parts_read + 1 >= parts then 'read'
          else status end
        where app_id = ${appId} and slug = ${slug} and research_id = ${researchId} and place = ${source.place}`
        )
        yield* query(
          (sql) =>
            sql`update research set spent_micro_usd = spent_micro_usd +
              ${costMicroUsd} where app_id = ${appId} and slug = ${slug} and research_id = ${researchId}`
        )
        return true
      }, transaction)

      const cancel = Effect.fnUntraced(function* (of: CharacterRef, id: string) {
        const { appId, slug } = of
        const ended = yield* query(
          (sql) => sql`
        update research set status = 'cancelled', owner = null, finished_at = now()
          where app_id = ${appId} and slug =
            ${slug} and research_id = ${id} and status in ('queued', 'running') returning 1`
        )
        if (ended.length > 0) yield* settle({ app_id: appId, slug, research_id: id })
        return yield* get(of, id)
      }, transaction)

      return Research.of({
        begin,
        get,
        list: ({ appId, slug }, { status, before, limit }) =>
          query(
            (sql) => sql`
        select ${columns(sql)} from research r
          where r.app_id = ${appId} and r.slug = ${slug} ${
            status === null
              ? sql``
              : sql`and r.status =
            ${status}`
          } ${before === null ? sql`` : sql`and r.research_id < ${before}`}
        order by r.research_id desc limit ${limit}::int`
          ),
        cancel,
        claim: (owner, except) =>
          query<Array<StoredResearch>>(
            (sql) => sql`
        with claimed as (${claimRun(sql, "research", owner, except)})
          select ${columns(sql)} from research r join claimed using (app_id, run_ref)`
          ).pipe(
            Effect.map(([run]) =>
              run === undefined ? undefined : { ...run, status: "running" as const, attempts: run.attempts + 1 }
            )
          ),
        nextSource: ({ app_id, slug, research_id }) =>
          query<Array<OpenSource>>(
            (sql) => sql`
        select place, kind, url, evidence_id, title, text, status, parts_read, parts, error_code from research_sources
        where app_id = ${app_id} and slug =
          ${slug} and research_id = ${research_id} and status = 'queued' order by place limit 1`
          ).pipe(Effect.map((rows) => rows[0])),
        fetched: (owner, run, place, { title, text, parts }) =>
          change(
            owner,
            run,
            (sql) => sql`
        update research_sources set title = ${title}, text = ${text}, sha256 = ${sha256Of(text)}, parts = ${parts}
        where app_id = ${run.app_id} and slug = ${run.slug} and research_id = ${run.research_id} and place = ${place}`
          ),
        sourceFailed: (owner, run, place, code) =>
          change(
            owner,
            run,
            (sql) => sql`
        update research_sources set status = 'failed',
          error_code = ${code} where app_id =
            ${run.app_id} and slug = ${run.slug} and research_id = ${run.research_id} and place = ${place}`
          ),
        partRead,
        leave: (owner, run) => Effect.asVoid(query((sql) => leaveRun(sql, "research", owner, run))),
        finish: Effect.fnUntraced(function* (owner, run, { status, errorCode }) {
          if (!(yield* isOurs(owner, run))) return
          yield* query(
            (sql) => sql`
          update research set status = ${status}, owner = null,
            error_code = ${errorCode}, finished_at = now()
              where app_id = ${run.app_id} and slug = ${run.slug} and research_id = ${run.research_id}`
          )
          yield* settle(run)
        }, transaction)
      })
    })
  )
}
