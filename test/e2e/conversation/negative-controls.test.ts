import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import postgres from "postgres"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { ChannelKinds } from "#channels/Channel.ts"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { SERVICE_RULES } from "#pipeline/generation/serviceRules.ts"
import { TurnPipeline } from "#pipeline/Turn.ts"
import { Activity } from "#src/db/operators/Activity.ts"
import { Alerts } from "#src/db/operators/Alerts.ts"
import { Health } from "#src/db/operators/Health.ts"
import { Alignment } from "#src/db/delivery/Alignment.ts"
import { Channels } from "#src/db/delivery/Channels.ts"
import { Allowances } from "#src/db/billing/Allowances.ts"
import { BudgetWarnings } from "#src/db/billing/BudgetWarnings.ts"
import { Expenses } from "#src/db/billing/Expenses.ts"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { HistoryReadings } from "#src/db/memory/HistoryReadings.ts"
import { MemoryExtractions } from "#src/db/memory/MemoryExtractions.ts"
import { SessionStories } from "#src/db/memory/SessionStories.ts"
import * as PostgresRecall from "#src/db/memory/PostgresRecall.ts"
import { Relationships } from "#src/db/memory/Relationships.ts"
import { SessionRecall } from "#src/db/memory/SessionRecall.ts"
import { Erasures } from "#src/db/privacy/Erasures.ts"
import { ExpiredSandboxes } from "#src/db/privacy/ExpiredSandboxes.ts"
import { StoredObjects } from "#src/db/character/StoredObjects.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import { TelegramSuspensions } from "#src/db/telegram/TelegramSuspensions.ts"
import { WebhookRegistrar } from "#src/jobs/telegram/WebhookRegistrar.ts"
import { Imports } from "#src/db/character/Imports.ts"
import { ProactiveDecisions } from "#src/db/proactive/ProactiveDecisions.ts"
import { Ledger } from "#src/db/billing/Ledger.ts"
import { RateLimits } from "#src/db/tenancy/RateLimits.ts"
import { allTables } from "#src/db/catalogue/allTables.ts"
import { Tables } from "#src/db/postgres/catalogue/Tables.ts"
import { Rollups } from "#src/db/operators/Rollups.ts"
import { Retention } from "#src/db/privacy/Retention.ts"
import { CrashedUnits } from "#src/db/crashes/CrashedUnits.ts"
import { DeviceCodes } from "#src/db/tenancy/DeviceCodes.ts"
import { IdempotencyKeys } from "#src/db/tenancy/IdempotencyKeys.ts"
import { OperatorSessions } from "#src/db/operators/OperatorSessions.ts"
import { RollingLimits } from "#src/db/tenancy/RollingLimits.ts"
import * as PostgresTranscript from "#src/db/conversation/PostgresTranscript.ts"
import { Turns } from "#src/db/conversation/Turns.ts"
import { heldUnits } from "#src/composition/heldUnits.ts"
import { Workers } from "#src/db/conversation/Workers.ts"
import { ExportMaker } from "#src/jobs/privacy/ExportMaker.ts"
import { EvalRunner } from "#src/jobs/evals/EvalRunner.ts"
import { ProbeWorker } from "#src/jobs/character/ProbeWorker.ts"
import { ResearchWorker } from "#src/jobs/research/ResearchWorker.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { SharedSweeps } from "#src/jobs/runner/SharedSweeps.ts"
import { ImageWorker } from "#src/jobs/character/ImageWorker.ts"
import { jobs } from "#src/composition/jobs.ts"
import { courier } from "#src/composition/delivery.ts"
import { BatchWorker } from "#src/jobs/telegram/BatchWorker.ts"
import { UpdateWorker } from "#src/jobs/telegram/UpdateWorker.ts"
import { Manager } from "#src/jobs/telegram/Manager.ts"
import { Probe } from "#src/jobs/telegram/Probe.ts"
import { MemoryExtractionWorker } from "#src/jobs/memory/MemoryExtractor.ts"
import { SessionEmbedder } from "#src/jobs/memory/SessionEmbedder.ts"
import { MAX_IN_FLIGHT, TurnRunner } from "#src/jobs/conversation/TurnRunner.ts"
import * as OfflineWriter from "#src/model/offline/OfflineWriter.ts"
import { createFleet, type Fleet } from "#test/support/Fleet.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { DEADLINES, nothingKnown } from "#test/support/conversation/turns.ts"
import { until } from "#test/support/until.ts"

// What would go wrong without a safeguard. If one of these stops failing, the test of its safeguard no longer proves
// anything.

describe("a log read as `id > cursor`", () => {
  let database: TestDatabase
  let connections: ReadonlyArray<postgres.Sql>
  beforeEach(async () => {
    database = await createTestDatabase()
    connections = Array.from({ length: 3 }, () => postgres(database.url, { max: 1, onnotice: () => {} }))
  })
  afterEach(async () => {
    await Promise.all(connections.map((sql) => sql.end({ timeout: 1 })))
    await database.drop()
  })

  /**
   * Two writers, where the first one to write is the last one to commit, and a reader that reads whenever there could
   * be something new.
   */
  const interleave = async (
    append: (sql: postgres.Sql, text: string) => Promise<unknown>,
    read: (sql: postgres.Sql, since: number) => Promise<ReadonlyArray<{ cursor: string; text: string }>>
  ) => {
    const [slow, quick, reader] = connections as [postgres.Sql, postgres.Sql, postgres.Sql]
    const seen: Array<string> = []
    let cursor = 0
    const look = async () => {
      for (const row of await read(reader, cursor)) {
        seen.push(row.text)
        cursor = Number(row.cursor)
      }
    }
    await slow`begin`
    await append(slow, "first to write")
    await quick`begin`
    let waits = true
    const write = async () => {
      await append(quick, "second to write")
      await quick`commit`
      waits = false
    }
    const written = write()
    await until(
      "the second writer to be done or blocked",
      async () =>
        !waits ||
        (
          await database.sql`
            select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        ).length > 0
    )
    await look()
    await slow`commit`
    await written
    await look()
    return seen
  }

  it("loses an event if the cursor is an identity column", async () => {
    await database.sql`create table naive (id bigint generated always as identity primary key, text text not null)`
    const seen = await interleave(
      (sql, text) => sql`insert into naive (text) values (${text})`,
      (sql, since) => sql`select id as cursor, text from naive where id > ${since} order by id`
    )
    assert.deepStrictEqual(seen, ["second to write"])
    assert.strictEqual((await database.sql`select 1 from naive`).length, 2)
  })

  it("loses none if the cursor is a counter under its row's lock, as in Troupe", async () => {
    await database.sql`create table logs (last_cursor bigint not null)`
    await database.sql`insert into logs values (0)`
    await database.sql`create table counted (cursor bigint primary key, text text not null)`
    const seen = await interleave(
      (sql, text) =>
        sql`with l as (update logs set last_cursor = last_cursor + 1 returning last_cursor) insert into counted
          select last_cursor, ${text} from l`,
      (sql, since) => sql`select cursor, text from counted where cursor > ${since} order by cursor`
    )
    assert.deepStrictEqual(seen, ["first to write", "second to write"])
  })
})

describe("without the watchdog", () => {
  let fleet: Fleet
  beforeEach(async () => {
    fleet = await createFleet()
  })
  afterEach(() => fleet.close())

  it(
    "the turn of a killed worker stays stuck beside a live worker that sweeps, until somebody checks for dead " +
      "workers",
    async () => {
      const { sql, url } = fleet.database
      const api = await fleet.start("api")
      const app = fleet.clientOf(api)
      const [stuck, swept] = [await app.createSession(), await app.createSession()]
      for (let n = 0; n < 3; n++) await app.send(swept, "What is for dinner?")
      await sql`update turns set due_at = 'infinity'`
      await sql`delete from graphile_worker._private_jobs`
      await app.send(stuck, "What is for dinner?")
      const victim = await fleet.start("worker")
      await fleet.model.call(1)
      // The API process has a watchdog, too.
      await api.stop("SIGKILL")
      await victim.stop("SIGKILL")

      // Everything that a worker process runs, except for the watchdog.
      const runtime = ManagedRuntime.make(
        jobs.pipe(
          Layer.provide([
            TurnRunner.layer(MAX_IN_FLIGHT),
            MemoryExtractionWorker.layer.pipe(
              Layer.provide(MemoryExtractions.layer),
              Layer.provide(Relationships.layer)
            ),
            courier,
            Alignment.layer,
            Retention.layer({
              attempts: Duration.days(30),
              log: null,
              turns: null,
              evals: null,
              batches: null,
              imports: null
            }),
            RateLimits.layer({ messages: 1, requests: 1 }),
            Rollups.layer
          ]),
          Layer.provide([Layer.succeed(ChannelKinds, new Map()), Layer.succeed(Tables, allTables)]),
          Layer.provide([
            Layer.mock(DeviceCodes, { expire: Effect.void }),
            Layer.mock(CrashedUnits, { expire: Effect.void }),
            Layer.mock(RollingLimits, { expire: Effect.void }),
            Layer.mock(OperatorSessions, { expire: Effect.void }),
            Layer.mock(Imports, { expire: Effect.void }),
            Layer.mock(Channels, { expire: Effect.void }),
            Layer.mock(HistoryReadings, {}),
            Layer.mock(SessionRecall, {}),
            Layer.mock(SessionEmbedder, { embedNext: () => Effect.succeed(false) }),
            Layer.mock(UpdateWorker, {}),
            Layer.mock(BatchWorker, {}),
            Layer.mock(Manager, { secret: null }),
            Layer.mock(Probe, {}),
            Layer.mock(ProactiveDecisions, { takeDue: () => Effect.succeed([]) }),
            Layer.mock(BudgetWarnings, { warn: Effect.void }),
            Layer.mock(Expenses, { refundAbandoned: Effect.void }),
            Layer.mock(Allowances, { recount: () => Effect.void }),
            Layer.mock(Ledger, {}),
            Layer.mock(ExpiredSandboxes, { due: Effect.succeed([]) }),
            Layer.mock(TelegramSuspensions, { finish: Effect.void }),
            Layer.mock(Erasures, { work: Effect.void }),
            Layer.mock(ExportMaker, { work: Effect.void }),
            Layer.mock(ProbeWorker, { work: Effect.void }),
            Layer.mock(ResearchWorker, { work: Effect.void }),
            Layer.mock(WebhookRegistrar, { webhookUrlOf: () => null }),
            Layer.mock(BotRows, {}),
            Layer.mock(SessionStories, {}),
            Layer.mock(StoredObjects, { sweep: Effect.void }),
            Layer.mock(ImageWorker, { work: Effect.void }),
            Layer.mock(EvalRunner, { work: Effect.void }),
            Layer.mock(Health, { ofServer: Effect.never }),
            Layer.mock(Alerts, {}),
            Layer.mock(Activity, {})
          ]),
          Layer.provide(
            TurnPipeline.layer({
              deadlines: DEADLINES,
              serviceText: SERVICE_RULES,
              safetyTexts: new Map(),
              ownTexts: new Map()
            })
          ),
          Layer.provide(SharedSweeps.layer),
          Layer.provide([
            PostgresTranscript.layer,
            PostgresRecall.layer,
            nothingKnown,
            CharacterVersions.layer,
            Turns.layer,
            Membership.layer,
            OfflineWriter.layer,
            IdempotencyKeys.layer
          ]),
          Layer.provideMerge(Workers.layer.pipe(Layer.provide(heldUnits))),
          Layer.provide(LogSignals.layer),
          Layer.provide(Database.layer({ url: Redacted.make(url), maxConnections: 4 })),
          Layer.provide(Layer.succeed(References.MinimumLogLevel, "Fatal"))
        )
      )
      try {
        await runtime.runPromise(Effect.void)
        // None of these turns has a job, so that only a run of the sweeper finds them: three runs pass.
        for (let turn = 1; turn <= 3; turn++) {
          await sql`update turns set due_at = now() - interval '1 minute'
          where session_id = ${swept} and turn_index = ${turn}`
          await until(
            "the sweeper",
            async () =>
              (
                await sql`select 1 from turns where session_id =
                ${swept} and turn_index = ${turn} and outcome = 'replied'`
              ).length > 0
          )
          await sql`delete from graphile_worker._private_jobs where locked_by is null`
        }
        const look = async () => {
          const [row] = await sql<
            Array<{ owned: boolean; outcome: string | null; crashes: number }>
          >`select owner is not null as owned, outcome, crashes from turns where session_id = ${stuck}`
          return { ...row }
        }
        assert.deepStrictEqual(await look(), { owned: true, outcome: null, crashes: 0 })

        assert.deepStrictEqual(await runtime.runPromise(Workers.use((workers) => workers.rescue)), {
          workers: 1,
          turns: 1
        })
        await until("the reply", async () => (await look()).outcome === "replied")
        assert.deepStrictEqual(await look(), { owned: false, outcome: "replied", crashes: 1 })
      } finally {
        await runtime.dispose()
      }
    }
  )
})
