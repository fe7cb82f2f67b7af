import { mkdtemp, rm } from "node:fs/promises"
import { existsSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { openServer } from "#test/support/embedded.ts"
import { until } from "#test/support/until.ts"
import { runChaos } from "./chaosRun.ts"

// npm run chaos -- --sends 20000 --sessions 100 --kills 200 --processes 3 --seed 7 --model-ms 20 --receiver-faults 1
// --database-crashes 3
const { values } = parseArgs({
  options: {
    sends: { type: "string", default: "10000" },
    sessions: { type: "string", default: "50" },
    kills: { type: "string", default: "60" },
    processes: { type: "string", default: "3" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    "model-ms": { type: "string", default: "20" },
    "receiver-faults": { type: "string", default: "1" },
    "database-crashes": { type: "string", default: "0" }
  }
})

const folder = await mkdtemp(join(tmpdir(), "troupe-chaos-"))
const server = await openServer(folder)
const servers = [server]
/** Like `pg_ctl stop -m immediate` and a start: all server processes end at once. */
const crash = async () => {
  process.kill(Number(readFileSync(join(folder, "pg", "postmaster.pid"), "utf8").split("\n", 1)[0]), "SIGQUIT")
  await until("the database to be down", () => !existsSync(join(folder, "pg", "postmaster.pid")))
  servers.push(await openServer(folder))
}
try {
  const report = await runChaos(
    {
      databaseUrl: server.url,
      sends: Number(values.sends),
      sessions: Number(values.sessions),
      kills: Number(values.kills),
      processes: Number(values.processes),
      seed: Number(values.seed),
      modelMs: Number(values["model-ms"]),
      receiverFaults: Number(values["receiver-faults"]),
      database: { crashes: Number(values["database-crashes"]), crash }
    },
    (line) => process.stderr.write(`${line}\n`)
  )
  process.stdout.write(`${JSON.stringify(report)}\n`)
  if (report.lost + report.unexpected + report.duplicated + report.reordered > 0) process.exitCode = 1
} finally {
  for (const server of servers) await server.close()
  await rm(folder, { recursive: true, force: true })
}
