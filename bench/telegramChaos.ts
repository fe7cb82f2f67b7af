import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { openServer } from "#test/support/postgres/embedded.ts"
import { runTelegramChaos } from "./telegramChaosRun.ts"
import { runTelegramKillAll } from "./telegramKillAllRun.ts"

// npm run chaos:telegram -- --bots 8 --chats 200 --bubbles 5000 --kills 30 --processes 2 --revocations 2 --faults 6
// --seed 7
// npm run chaos:telegram -- --kill-all --bots 8 --chats 50 --rounds 10 --kill-after-ms 2000 --processes 2 --seed 7
const { values } = parseArgs({
  options: {
    bots: { type: "string", default: "8" },
    chats: { type: "string", default: "200" },
    bubbles: { type: "string", default: "5000" },
    kills: { type: "string", default: "30" },
    processes: { type: "string", default: "2" },
    revocations: { type: "string", default: "2" },
    faults: { type: "string", default: "6" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    "kill-all": { type: "boolean", default: false },
    rounds: { type: "string", default: "10" },
    "kill-after-ms": { type: "string", default: "2000" }
  }
})

const folder = await mkdtemp(join(tmpdir(), "troupe-chaos-"))
const server = await openServer(folder)
try {
  const say = (line: string) => process.stderr.write(`${line}\n`)
  const shared = {
    databaseUrl: server.url,
    bots: Number(values.bots),
    chats: Number(values.chats),
    processes: Number(values.processes),
    seed: Number(values.seed)
  }
  const report = values["kill-all"]
    ? await runTelegramKillAll(
        { ...shared, rounds: Number(values.rounds), killAfterMs: Number(values["kill-after-ms"]) },
        say
      )
    : await runTelegramChaos(
        {
          ...shared,
          bubbles: Number(values.bubbles),
          kills: Number(values.kills),
          revocations: Number(values.revocations),
          faults: Number(values.faults)
        },
        say
      )
  process.stdout.write(`${JSON.stringify(report)}\n`)
  const { lost, duplicated, reordered, unexpected, unrecorded } = report
  const failures = lost + duplicated + reordered + unexpected + unrecorded
  if (failures + ("missing" in report ? report.missing : report.overCeiling) > 0) process.exitCode = 1
} finally {
  await server.close()
  await rm(folder, { recursive: true, force: true })
}
