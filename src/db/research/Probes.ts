import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { newId } from "#pipeline/domain/Id.ts"
import type { Finding } from "#pipeline/readiness/Readiness.ts"
import type { ProbeTurn } from "#pipeline/readiness/runProbe.ts"
import { Characters } from "#src/db/character/Characters.ts"
import { claimRun, releaseRun } from "./claimRun.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import { Expenses } from "#src/db/billing/Expenses.ts"

/** The app's budget does not cover the request. Nothing was reserved. */
export class NotAffordable extends Schema.TaggedError<NotAffordable>()("NotAffordable", {}) {}

export interface StoredProbe {
  readonly app_id: string
  readonly slug: string
  readonly run_ref: string
  readonly version: number
  readonly status: "queued" | "running" | "completed" | "failed"
  readonly attempts: number
  readonly held_micro_usd: number
  readonly spent_micro_usd: number
  readonly engine: string
  readonly model: string
  readonly turns: ReadonlyArray<ProbeTurn>
  readonly contradictions: ReadonlyArray<Finding> | null
  readonly error_code: string | null
  readonly created_at: Date
  readonly finished_at: Date | null
}
type Probe = Pick<StoredProbe, "app_id" | "run_ref">

export interface Engine {
  readonly engine: string
  readonly model: string
  /** The maximum cost of a probe. */
  readonly reservedMicroUsd: number
}

const columns = (sql: Sql) =>
  sql`app_id, slug, run_ref, version, status, attempts, held_micro_usd::int8, spent_micro_usd::int8, engine, model,
    turns, contradictions, error_code, created_at, finished_at`

/** Probes of characters: requests, progress and results. What is left of the reservation is refunded at the end. */
export class Probes extends Context.Service<
  Probes,
  {
    /** Returns a probe of this version that is already in progress, if any. */
    readonly begin: (
      appId: string,
      slug: string,
      version: number,
      by: Engine
    ) => Effect.Effect<StoredProbe, NotAffordable | DatabaseError>
    readonly latest: (appId: string, slug: string) => Effect.Effect<StoredProbe | undefined, DatabaseError>
    /** Contradictions that a model found in this version. Null: no model has checked it. */
    readonly contradictions: (
      appId: string,
      slug: string,
      version: number
    ) => Effect.Effect<ReadonlyArray<Finding> | null, DatabaseError>
    /** Claims a probe for a registered worker. */
    readonly claim: (
      owner: string,
      except: ReadonlyArray<string>
    ) => Effect.Effect<StoredProbe | undefined, DatabaseError>
    /** False: another worker has it now. */
    readonly note: (
      owner: string,
      probe: Probe,
      turns: ReadonlyArray<ProbeTurn>,
      spentMicroUsd: number
    ) => Effect.Effect<boolean, DatabaseError>
    /** Releases it to another worker, which continues it. `stopped`: the attempt does not count. */
    readonly release: (owner: string, probe: Probe, stopped: boolean) => Effect.Effect<void, DatabaseError>
    readonly finish: (
      owner: string,
      probe: Probe,
      end: {
        readonly status: "completed" | "failed"
        readonly contradictions: ReadonlyArray<Finding> | null
        readonly spentMicroUsd: number
        readonly errorCode: string | null
      }
    ) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/research/Probes") {
  static readonly layer = Layer.effect(
    Probes,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const expenses = yield* Expenses
      const characters = yield* Characters

      const one = (where: (sql: Sql) => ReturnType<Sql>) =>
        query<Array<StoredProbe>>((sql) => sql`select ${columns(sql)} from readiness_probes where ${where(sql)}`).pipe(
          Effect.map((rows) => rows[0])
        )
      const get = (appId: string, runRef: string) => one((sql) => sql`app_id = ${appId} and run_ref = ${runRef}`)

      const begin = Effect.fnUntraced(function* (
        appId: string,
        slug: string,
        version: number,
        { engine, model, reservedMicroUsd }: Engine
      ) {
        yield* query(
          (sql) => sql`select 1 from characters where app_id = ${appId} and slug = ${slug} for no key update`
        )
        const open = yield* one(
          (sql) =>
            sql`app_id = ${appId} and slug =
              ${slug} and version = ${version} and status in ('queued', 'running') limit 1`
        )
        if (open !== undefined) return open
        const runRef = newId("run")
        const expense = yield* expenses.charge({ appId, sessionId: null }, "probe", reservedMicroUsd, { runRef })
        if (expense === null) return yield* new NotAffordable()
        yield* query(
          (sql) => sql`
        insert into readiness_probes (app_id, slug, run_ref, version, held_micro_usd, engine, model)
          values (${appId}, ${slug}, ${runRef}, ${version}, ${reservedMicroUsd}, ${engine}, ${model})`
        )
        yield* query((sql) => sql`select graphile_worker.add_job('rehearse', '{}'::json)`)
        const probe = yield* get(appId, runRef)
        return probe ?? (yield* Effect.die(new Error("a probe just written is gone")))
      }, transaction)

      const finish = Effect.fnUntraced(function* (
        owner: string,
        { app_id: appId, run_ref: runRef }: Probe,
        {
          status,
          contradictions,
          spentMicroUsd,
          errorCode
        }: {
          readonly status: string
          readonly contradictions: ReadonlyArray<Finding> | null
          readonly spentMicroUsd: number
          readonly errorCode: string | null
        }
      ) {
        const [ended] = yield* query<Array<{ slug: string; version: number; held: number }>>(
          (sql) => sql`
        update readiness_probes set status =
          ${status}, owner = null, contradictions =
            ${contradictions === null ? null : JSON.stringify(contradictions)}::text::json,
              spent_micro_usd = ${spentMicroUsd}, error_code = ${errorCode}, finished_at = now()
        where app_id = ${appId} and run_ref =
          ${runRef} and owner = ${owner} and status = 'running' returning slug, version, held_micro_usd::int8 as held`
        )
        if (ended === undefined) return
        const left = ended.held - spentMicroUsd
        const expense = { appId, sessionId: null, runRef, activity: "probe" } as const
        if (left > 0) yield* expenses.refund({ ...expense, microUsd: left })
        // The cost may exceed the planned maximum, and is charged all the same.
        if (left < 0) yield* expenses.chargeMore({ ...expense, microUsd: -left })
        const character = yield* characters.get(appId, ended.slug)
        if (
          character !== undefined &&
          character.version === ended.version &&
          character.readiness === "ready" &&
          contradictions !== null &&
          contradictions.length > 0
        ) {
          yield* characters.noteReadiness(appId, ended.slug, ended.version, "needs_work")
        }
      }, transaction)

      return Probes.of({
        begin,
        latest: (appId, slug) =>
          one((sql) => sql`app_id = ${appId} and slug = ${slug} order by created_at desc limit 1`),
        contradictions: (appId, slug, version) =>
          query<Array<{ contradictions: ReadonlyArray<Finding> }>>(
            (sql) => sql`
        select contradictions from readiness_probes
          where app_id = ${appId} and slug =
            ${slug} and version = ${version} and contradictions is not null order by created_at desc limit 1`
          ).pipe(Effect.map((rows) => rows[0]?.contradictions ?? null)),
        claim: Effect.fnUntraced(function* (owner, except) {
          const [claimed] = yield* query<Array<Probe>>((sql) => claimRun(sql, "readiness_probes", owner, except))
          return claimed === undefined ? undefined : yield* get(claimed.app_id, claimed.run_ref)
        }),
        note: (owner, { app_id, run_ref }, turns, spentMicroUsd) =>
          query(
            (sql) => sql`
        update readiness_probes set turns = ${JSON.stringify(turns)}::text::json, spent_micro_usd = ${spentMicroUsd}
        where app_id = ${app_id} and run_ref = ${run_ref} and owner = ${owner} and status = 'running' returning 1`
          ).pipe(Effect.map((rows) => rows.length > 0)),
        release: (owner, probe, stopped) =>
          Effect.asVoid(query((sql) => releaseRun(sql, "readiness_probes", owner, probe, stopped))),
        finish
      })
    })
  )
}
