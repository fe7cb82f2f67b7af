import { afterEach, assert, describe, it } from "vitest"
import { createFleet, type Fleet } from "#test/support/Fleet.ts"
import { startReplicatedPostgres } from "#test/support/postgres/ReplicatedPostgres.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

let fleet: Fleet
afterEach(() => fleet.close())

const ADMIN_TOKEN = "an-admin-token-of-32-characters-or-more"

/** What the start, health and the doctor say of a database with a standby. */
const warningsOf = async (synchronous: boolean) => {
  const { database } = await startReplicatedPostgres({ synchronous })
  fleet = await createFleet(database)
  await until("the standby to stream", async () => {
    const rows = await database.sql`select 1 from pg_stat_replication where state = 'streaming'`
    return rows.length > 0
  })
  const process = await fleet.start("api", { ADMIN_TOKEN })
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const { data } = (await (await fetch(`${process.baseUrl}/admin/health`, { headers })).json()) as any
  const doctor = await runTroupe({ DATABASE_URL: database.url }, ["doctor", "--json"])
  return {
    logged: process.stderr().includes('"event":"acknowledged_messages_can_be_lost_at_a_failover"'),
    problem: data.problems.find(({ kind }: { kind: string }) => kind === "database_asynchronous"),
    doctor: JSON.parse(doctor.stdout).checks.find(({ check }: { check: string }) => check === "replication")
  }
}

describe("a database with a standby", () => {
  it("is warned of at the start, in health and by the doctor if no commit waits for the standby", async () => {
    const { logged, problem, doctor } = await warningsOf(false)
    assert.isTrue(logged)
    assert.deepInclude(problem, { severity: "warning", evidence: { asynchronous_standbys: 1 } })
    assert.include(problem.next_step.description, "synchronous_standby_names")
    assert.strictEqual(doctor.status, "warning")
    assert.include(doctor.fix, "synchronous_standby_names")
  })

  it("is not warned of if commits wait for it", async () => {
    const { logged, problem, doctor } = await warningsOf(true)
    assert.isFalse(logged)
    assert.isUndefined(problem)
    assert.strictEqual(doctor.status, "ok")
  })
})
