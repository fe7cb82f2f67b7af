import { mkdtemp, rm } from "node:fs/promises"
import { existsSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { openServer } from "#test/support/postgres/embedded.ts"
import { openTreeBefore } from "#test/support/sources/olderTree.ts"
import { until } from "#test/support/until.ts"
import { runChaos } from "./chaosRun.ts"

// npm run chaos -- --sends 20000 --sessions 100 --kills 200 --processes 3 --seed 7 --model-ms 20 --receiver-faults 1
// --database-crashes 3 --upgrade --before 0036_operators.sql
const { values } = parseArgs({
  options: {
    sends: { type: "string", default: "10000" },
    sessions: { type: "string", default: "50" },
    kills: { type: "string", default: "60" },
    processes: { type: "string", default: "3" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    "model-ms": { type: "string", default: "20" },
    "receiver-faults": { type: "string", default: "1" },
    "database-crashes": { type: "string", default: "0" },
    upgrade: { type: "boolean", default: false },
    before: { type: "string", default: "0036_operators.sql" }
  }
})

/** A rolling upgrade from the version before a migration. The present packages work with that of the default, too. */
const tree = values.upgrade ? openTreeBefore(values.before) : undefined
if (typeof tree === "string") {
  process.stderr.write(`skipped: ${tree}\n`)
  process.exit(0)
}
if (tree !== undefined) process.stderr.write(`upgrade from ${tree.commit}\n`)

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
      database: { crashes: Number(values["database-crashes"]), crash },
      ...(tree === undefined ? {} : { upgradeFrom: tree.folder })
    },
    (line) => process.stderr.write(`${line}\n`)
  )
  process.stdout.write(`${JSON.stringify(report)}\n`)
  if (report.lost + report.unexpected + report.duplicated + report.reordered > 0) process.exitCode = 1
} finally {
  tree?.remove()
  for (const server of servers) await server.close()
  await rm(folder, { recursive: true, force: true })
}
