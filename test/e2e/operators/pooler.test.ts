import { afterEach, assert, describe, it } from "vitest"
import { KEY_ENDED } from "#src/db/tenancy/ApiKeys.ts"
import { example } from "#test/support/sources/docs.ts"
import { createFleet, type Fleet } from "#test/support/Fleet.ts"
import { hasPgBouncer, type PgBouncer, startPgBouncer } from "#test/support/postgres/PgBouncer.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { type ReplicatedPostgres, startReplicatedPostgres } from "#test/support/postgres/ReplicatedPostgres.ts"
import type { LogEvent, TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase } from "#test/support/TestDatabase.ts"
import { until } from "#test/support/until.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"

const POOL_SIZE = 4

let fleet: Fleet
let pooler: PgBouncer
const start = async (ignored = "") => {
  fleet = await createFleet()
  pooler = await startPgBouncer({ poolSize: POOL_SIZE, ignored })
}
afterEach(async () => {
  // A database with connections cannot be dropped.
  await pooler.close()
  await fleet.close()
})

const isReply = (event: LogEvent) => event.type === "message.created" && event.role === "character"
/** Waits for a reply, also while requests are refused because connections are lost. */
const replied = (app: TestApp, session: string, since = 0) =>
  until("the reply", async () => {
    const events: ReadonlyArray<LogEvent> = await app.events(session, since).catch(() => [])
    return events.find(isReply)
  })

/** The settings of a process that goes through the pooler. */
const addresses = () => ({
  DATABASE_URL: pooler.through(fleet.database.url),
  DATABASE_DIRECT_URL: fleet.database.url
})

/** Why a process does not start. */
const refusal = (env: Record<string, string>) => fleet.start("api", env).then(() => "it started", String)

type Found = Readonly<Record<"check" | "status" | "message" | "fix", string>>
const examine = async (env: Record<string, string>) => {
  const nowhere = { TELEGRAM_API_ROOT: "http://127.0.0.1:9" }
  const { stdout } = await runTroupe({ SECRETS_KEY, ...nowhere, ...env }, ["doctor", "--json"])
  const { checks } = JSON.parse(stdout) as { readonly checks: ReadonlyArray<Found> }
  return (check: string) => checks.find((found) => found.check === check)
}

/** Gives the role its settings with the statements that the doctor names. */
const giveSettings = async () => {
  const found = (await examine(addresses()))("pooler")
  assert.strictEqual(found?.status, "wrong")
  const statements = found?.fix.match(/alter role [^;]+;/g) ?? []
  assert.isNotEmpty(statements)
  for (const statement of statements) await fleet.database.sql.unsafe(statement)
  await pooler.reconnect()
}

describe.runIf(hasPgBouncer)("processes behind a pooler in transaction mode", () => {
  it("do not start until the role has the settings that the docs give it", async () => {
    await start()
    const refused = await refusal(addresses())
    const { username, pathname } = new URL(fleet.database.url)
    const documented = example("pooler-role").replaceAll(
      "role troupe in database troupe",
      `role ${decodeURIComponent(username)} in database ${pathname.slice(1)}`
    )
    for (const statement of documented.split("\n")) assert.include(refused, statement)
    await fleet.database.sql.unsafe(documented)
    await pooler.reconnect()
    await fleet.start("api", addresses())
    assert.strictEqual((await examine(addresses()))("pooler")?.status, "ok")
  })

  it("answer messages over fewer connections to the server than they have", async ({ annotate }) => {
    await start()
    await giveSettings()
    fleet.model.answerAfter(0)
    const [one, two] = [await fleet.start("api,worker", addresses()), await fleet.start("api,worker", addresses())]
    const [app, other] = [fleet.clientOf(one), fleet.clientOf(two)]
    const sessions = await Promise.all(Array.from({ length: 24 }, () => app.createSession()))
    await Promise.all(sessions.map((session) => app.send(session, "What is for dinner?")))
    await Promise.all(sessions.map((session) => other.waitFor(session, isReply)))

    const { clients, servers } = await pooler.connections(fleet.database.url)
    await annotate(`${clients} connections of clients share ${servers} to the server`)
    assert.isAtMost(servers, POOL_SIZE)
    assert.isAbove(clients, servers)
    const graphile = await fleet.database.sql`select 1 from graphile_worker.jobs where last_error is not null`
    assert.strictEqual(graphile.length, 0)
  })

  it("hear notifications that others send through the pooler", async () => {
    await start()
    await giveSettings()
    const processes = [await fleet.start("api", addresses()), await fleet.start("api", addresses())]
    const streams = await Promise.all(
      processes.map(async (process) => {
        const { baseUrl, key } = fleet.clientOf(process)
        const response = await fetch(`${baseUrl}/v1/events/stream`, { headers: { authorization: `Bearer ${key}` } })
        assert.strictEqual(response.status, 200)
        return response
      })
    )
    const [key] = await fleet.database.sql<Array<{ prefix: string }>>`select prefix from api_keys`
    // The key stays valid, so nothing else would end its streams.
    await pooler.notify(fleet.database.url, KEY_ENDED, key?.prefix ?? "")
    await Promise.all(streams.map((stream) => stream.text().catch(() => "cut off")))
  })

  it("take over the turn of one that is killed", async ({ annotate }) => {
    await start()
    await giveSettings()
    const app = fleet.clientOf(await fleet.start("api", addresses()))
    const victim = await fleet.start("worker", addresses())
    const session = await app.createSession()
    await app.send(session, "What is for dinner?")
    await fleet.model.call(1)
    const [{ worker_id: victimId }] = await fleet.database.sql<[{ worker_id: string }]>`select worker_id from workers`
    await fleet.start("worker", addresses())

    const killedAt = performance.now()
    await victim.stop("SIGKILL")
    // Its silence is never noticed: only its lock shows that it is dead.
    await fleet.database.sql`update workers set heartbeat_at = now() + interval '1 day' where worker_id = ${victimId}`
    const rerun = await fleet.model.call(2)
    await annotate(`rerun began ${Math.round(rerun.at - killedAt)} ms after the kill`)
    rerun.release()
    await app.waitFor(session, isReply)
    const events = await app.events(session)
    assert.deepStrictEqual(
      events.map(({ cursor, type, role }) => `${cursor} ${type} ${role}`),
      ["1 message.created user", "2 run.status character", "3 message.created character"]
    )
  })

  it("go on when the pooler is killed and started again, and run no turn twice", async () => {
    await start()
    await giveSettings()
    const app = fleet.clientOf(await fleet.start("api,worker", addresses()))
    const session = await app.createSession()
    await app.send(session, "What is for dinner?")
    const first = await fleet.model.call(1)
    await pooler.restart()
    first.release()
    await replied(app, session)
    const once = { "idempotency-key": "tomorrow" }
    await until("a message to be accepted", async () => (await app.send(session, "And tomorrow?", once)).status === 200)
    const second = await fleet.model.call(2)
    second.release()
    await replied(app, session, 4)
    assert.strictEqual(fleet.model.calls.length, 2)
  })

  it("do not start if the direct address leads to another database", async () => {
    await start()
    await giveSettings()
    const other = await createTestDatabase()
    const wrong = { ...addresses(), DATABASE_DIRECT_URL: other.url }
    assert.include(await refusal(wrong), "lead to different databases")
    assert.include((await examine(wrong))("pooler")?.message, "lead to different databases")
    await other.drop()
  })
})

describe.runIf(hasPgBouncer)("a pooler without the address of the server", () => {
  it("refuses the processes, which say what to set", async () => {
    await start()
    const env = { DATABASE_URL: pooler.through(fleet.database.url) }
    const refused = await refusal(env)
    assert.match(refused, /a pooler refuses the settings of connections\. .*DATABASE_DIRECT_URL/)
    assert.include((await examine(env))("database")?.message, "DATABASE_DIRECT_URL")
  })

  it("is warned of if it ignores the settings", async () => {
    const ignored = "statement_timeout, idle_in_transaction_session_timeout, plan_cache_mode, enable_seqscan, jit"
    await start(ignored)
    const env = { DATABASE_URL: pooler.through(fleet.database.url) }
    // With luck it starts, because nobody else uses the pooler.
    const started = await fleet.start("api", env).catch(String)
    const log = () => (typeof started === "string" ? started : started.stderr())
    await until(log, () => log().includes('"event":"a_pooler_is_in_front_of_the_database"'))
    const found = (await examine(env))("pooler")
    assert.strictEqual(found?.status, "warning")
    assert.include(found?.fix, "DATABASE_DIRECT_URL")
  })
})

describe.runIf(hasPgBouncer)("processes behind a pooler, after a failover", () => {
  let servers: ReplicatedPostgres

  it("go on when the pooler leads to the new primary: no message is lost, and no turn runs again", async () => {
    servers = await startReplicatedPostgres()
    fleet = await createFleet(servers.database)
    pooler = await startPgBouncer({ poolSize: 20, ignored: "", server: servers.primary })
    const settings = { DATABASE_URL: pooler.through(servers.primary.href), DATABASE_DIRECT_URL: fleet.database.url }
    const { username, pathname } = servers.primary
    await fleet.database.sql.unsafe(
      example("pooler-role").replaceAll(
        "role troupe in database troupe",
        `role ${decodeURIComponent(username)} in database ${pathname.slice(1)}`
      )
    )
    await pooler.reconnect()
    const [one, two] = [await fleet.start("api,worker", settings), await fleet.start("api,worker", settings)]
    const [app, other] = [fleet.clientOf(one), fleet.clientOf(two)]
    const sessions: Array<string> = []
    for (let n = 0; n < 12; n++) sessions.push(await app.createSession())
    for (const session of sessions) await app.send(session, "What is for dinner?")
    await fleet.model.call(sessions.length)

    await servers.killPrimary()
    await servers.promote()
    await pooler.leadTo(servers.standby)
    const session = await until("a session on the new primary", () => other.createSession().catch(() => false as const))
    for (const call of fleet.model.calls) call.release()
    for (const sent of sessions) {
      await replied(app, sent)
      assert.deepStrictEqual(
        (await app.events(sent)).map(({ cursor, type, role }) => `${cursor} ${type} ${role}`),
        ["1 message.created user", "2 run.status character", "3 message.created character"]
      )
    }
    assert.strictEqual(fleet.model.calls.length, sessions.length)
    const crashes = await fleet.database.sql<Array<{ crashes: number }>>`select distinct crashes from turns`
    assert.deepStrictEqual(
      crashes.map((row) => row.crashes),
      [0]
    )

    await other.send(session, "And now?")
    ;(await fleet.model.call(sessions.length + 1)).release()
    await other.waitFor(session, isReply)
  })
})
