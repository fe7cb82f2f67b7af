import { assert, it } from "vitest"
import { runChaos } from "../../../bench/chaosRun.ts"
import { createTestDatabase } from "#test/support/TestDatabase.ts"
import { sized } from "#test/support/suite/sized.ts"

const SENDS = sized(150, 1000)
const KILLS = sized(3, 20)

it("sends are not lost, repeated or reordered for poll, stream and webhook readers while processes are killed", async ({
  annotate
}) => {
  const database = await createTestDatabase()
  try {
    const report = await runChaos({
      databaseUrl: database.url,
      sends: SENDS,
      sessions: 20,
      kills: KILLS,
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
        acknowledged: SENDS,
        lost: 0,
        unexpected: 0,
        duplicated: 0,
        reordered: 0,
        failed: 0,
        kills: KILLS,
        events: 3 * SENDS
      }
    )
    assert.isAbove(report.recovered, 0)
  } finally {
    await database.drop()
  }
})
