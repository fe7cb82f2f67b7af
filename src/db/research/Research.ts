import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { newId } from "#pipeline/domain/Id.ts"
import type { Purpose } from "#pipeline/research/Change.ts"
import type { VerifiedFinding } from "#pipeline/research/verifyFindings.ts"
import { Expenses } from "#src/db/billing/Expenses.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { claimRun, releaseRun } from "./claimRun.ts"
import { type CharacterRef, Evidence, sha256Of } from "./Evidence.ts"
import { NotAffordable } from "./Probes.ts"
import { makeRecordPartRead } from "./recordPartRead.ts"
import { columns, makeResearchReader } from "./researchReader.ts"
import { makeSettleResearch } from "./settleResearch.ts"

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
export type Run = Pick<StoredResearch, "app_id" | "slug" | "research_id">

/** `parts`: null for a source that has to be fetched first. */
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
  /** The planned maximum cost. */
  readonly plannedMicroUsd: number
}

export interface ResearchFilter {
  readonly status: string | null
  /** Those before this id. */
  readonly before: string | null
  readonly limit: number
}

/** Limit for an app's unfinished runs, so that one app does not make others wait for long. */
export const MAX_OPEN_RESEARCH = 20
export class TooMuchResearch extends Schema.TaggedError<TooMuchResearch>()("TooMuchResearch", {}) {}

/** The source in progress, with its text. Null: it was not fetched yet. */
export type OpenSource = ResearchSource & { readonly text: string | null }

/**
 * Runs that search sources for answers to a question: queued, running, then completed, failed or cancelled. The
 * progress in a source, its findings and their cost are one transaction. So a worker that continues a run neither reads
 * nor pays for a part twice. What is left of the reservation is refunded at the end.
 */
export class Research extends Context.Service<
  Research,
  {
    readonly begin: (
      of: CharacterRef,
      research: NewResearch
    ) => Effect.Effect<StoredResearch, NotAffordable | TooMuchResearch | DatabaseError>
    readonly get: (of: CharacterRef, researchId: string) => Effect.Effect<StoredResearch | undefined, DatabaseError>
    /** Newest first. */
    readonly list: (
      of: CharacterRef,
      filter: ResearchFilter
    ) => Effect.Effect<ReadonlyArray<StoredResearch>, DatabaseError>
    /** Ends an unfinished run at its current state. Undefined: no such run. */
    readonly cancel: (of: CharacterRef, researchId: string) => Effect.Effect<StoredResearch | undefined, DatabaseError>
    readonly claim: (
      owner: string,
      except: ReadonlyArray<string>
    ) => Effect.Effect<StoredResearch | undefined, DatabaseError>
    /** The first unfinished source. */
    readonly nextSource: (run: Run) => Effect.Effect<OpenSource | undefined, DatabaseError>
    /** Stores a fetched text. False, here and below: another worker has the run now, or it was cancelled. */
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
     * Stores that a part was read, with its cost, which is booked even if the run has ended or changed its worker in
     * the meantime.
     */
    readonly partRead: (
      owner: string,
      run: Run,
      source: OpenSource,
      upheld: ReadonlyArray<VerifiedFinding>,
      costMicroUsd: number
    ) => Effect.Effect<boolean, DatabaseError>
    /** Releases it to another worker, which continues it. */
    readonly release: (owner: string, run: StoredResearch, stopped: boolean) => Effect.Effect<void, DatabaseError>
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
      const database = yield* Database
      const { query, transaction } = database
      const expenses = yield* Expenses
      const { get, list, isOurs } = makeResearchReader(database)
      const { settle } = makeSettleResearch(database, expenses)

      const begin = Effect.fnUntraced(function* (
        of: CharacterRef,
        { question, purpose, sources, maxMicroUsd, plannedMicroUsd }: NewResearch
      ) {
        const { appId, slug } = of
        // Serializes creation, so that the limit is exact.
        yield* query((sql) => sql`select pg_advisory_xact_lock(hashtextextended(${`research ${appId}`}, 0))`)
        const [{ open } = { open: 0 }] = yield* query<Array<{ open: number }>>(
          (sql) => sql`select count(*)::int as open from research where app_id = ${appId} and finished_at is null`
        )
        if (open >= MAX_OPEN_RESEARCH) return yield* new TooMuchResearch()
        const [id, runRef, held] = [newId("rsr"), newId("run"), Math.min(maxMicroUsd, plannedMicroUsd)]
        if ((yield* expenses.charge({ appId, sessionId: null }, "research", held, { runRef })) === null)
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

      const change = (owner: string, run: Run, write: Parameters<typeof query>[0]) =>
        transaction(
          Effect.gen(function* () {
            if (!(yield* isOurs(owner, run))) return false
            yield* query(write)
            return true
          })
        )

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
        list,
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
        partRead: makeRecordPartRead(database, expenses, yield* Evidence),
        release: (owner, run, stopped) =>
          Effect.asVoid(query((sql) => releaseRun(sql, "research", owner, run, stopped))),
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
