import { mkdirSync, writeFileSync } from "node:fs"
import { cpus, totalmem } from "node:os"
import { accept } from "./rows/accept.ts"
import { acceptLane } from "./rows/acceptLane.ts"
import { backup } from "./rows/backup.ts"
import { consoleScreens } from "./rows/consoleScreens.ts"
import { deadEndpoint } from "./rows/deadEndpoint.ts"
import { fair } from "./rows/fair.ts"
import { feed } from "./rows/feed.ts"
import { followed } from "./rows/followed.ts"
import { fleet } from "./rows/fleet.ts"
import { growth } from "./rows/growth.ts"
import { idle } from "./rows/idle.ts"
import { message } from "./rows/message.ts"
import { operatorLists } from "./rows/operatorLists.ts"
import { partitions } from "./rows/partitions.ts"
import { poll } from "./rows/poll.ts"
import { recall } from "./rows/recall.ts"
import { stages } from "./rows/stages.ts"
import { retention } from "./rows/retention.ts"
import { start } from "./rows/start.ts"
import { telemetry } from "./rows/telemetry.ts"
import { told } from "./rows/told.ts"
import { stream } from "./rows/stream.ts"
import { telegramFair } from "./rows/telegramFair.ts"
import { telegramIn } from "./rows/telegramIn.ts"
import { turn } from "./rows/turn.ts"
import { turns } from "./rows/turns.ts"
import { unread } from "./rows/unread.ts"
import { webhook } from "./rows/webhook.ts"
import type { Result } from "./Row.ts"

const ROWS = [
  accept,
  acceptLane,
  consoleScreens,
  operatorLists,
  message,
  backup,
  telemetry,
  poll,
  turn,
  turns,
  stages,
  recall,
  told,
  stream,
  unread,
  feed,
  followed,
  webhook,
  deadEndpoint,
  telegramIn,
  telegramFair,
  fair,
  fleet,
  growth,
  partitions,
  retention,
  idle,
  start
]

/**
 * `npm run bench [-- ROW ...] [--rounds N]`: results are ratios to a limit measured in the same run. Absolute values
 * are for information only.
 */
const args = process.argv.slice(2)
const at = args.indexOf("--rounds")
const repeats = at === -1 ? 5 : Number(args[at + 1])
const wanted = args
  .filter((arg, index) => !arg.startsWith("--") && (at === -1 || index !== at + 1))
  .map((name) => (name === "accept-hello" ? "accept" : name))
const unknown = wanted.filter((name) => ROWS.every((row) => row.name !== name))
if (unknown.length > 0 || !(repeats >= 1)) {
  console.error(`usage: npm run bench -- [${ROWS.map((row) => row.name).join(" | ")}] [--rounds N]`)
  process.exit(1)
}

const machine = {
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  memory_gib: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  at: new Date().toISOString(),
  rounds: repeats
}
console.log(JSON.stringify(machine))
const results: Array<Result> = []
for (const row of ROWS.filter((row) => wanted.length === 0 || wanted.includes(row.name))) {
  for (const result of await row.run(repeats)) {
    results.push(result)
    for (const raw of result.raw) console.log(`  ${JSON.stringify(raw)}`)
    console.log(
      `${result.reached ? "ok  " : "MISS"} ${result.name.padEnd(14)} ${result.what}: ours ` +
        `${result.ours} ${result.unit}, limit ${result.limit} ${result.unit}, ratio ${result.ratio} (goal ` +
        `${result.goal})`
    )
  }
}
mkdirSync("bench/results", { recursive: true })
writeFileSync(`bench/results/${machine.at.replaceAll(":", "-")}.json`, JSON.stringify({ machine, results }, null, 2))
process.exit(0)
