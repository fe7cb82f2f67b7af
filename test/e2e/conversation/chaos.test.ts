import { assert, it } from "vitest"
import { runChaos } from "../../../bench/chaosRun.ts"
import { createTestDatabase } from "#test/support/TestDatabase.ts"

it(
  "1,000 sends are not lost, repeated or reordered for poll, stream and webhook readers while processes are " +
    "killed 20 times",
  async ({ annotate }) => {
    const database = await createTestDatabase()
    try {
      const report = await runChaos({
        databaseUrl: database.url,
        sends: 1000,
        sessions: 20,
        kills: 20,
        processes: 3,
        seed: 20_261,
        modelMs: 25,
        receiverFaults: 1
      })
      await annotate(JSON.stringify(report))
      const { acknowledged, lost, unexpected, duplicated, reordered, failed, kills, events } = report
      assert.deepStrictEqual(
        { acknowledged, lost, unexpected, duplicated, reordered, failed, kills, events },
        {
          acknowledged: 1000,
          lost: 0,
          unexpected: 0,
          duplicated: 0,
          reordered: 0,
          failed: 0,
          kills: 20,
          events: 3000
        }
      )
      assert.isAbove(report.recovered, 0)
    } finally {
      await database.drop()
    }
  }
)
