import { spawn } from "node:child_process"
import * as Effect from "effect/Effect"
import { mkdtemp, rm } from "node:fs/promises"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { findBinaries } from "#src/db/postgres/embedded/binaries.ts"
import { ensureCluster } from "#src/db/postgres/embedded/cluster.ts"
import { prepareHome } from "#src/db/postgres/embedded/home.ts"
import { start as startPostgres, stop as stopPostgres } from "#src/db/postgres/embedded/server.ts"
import type { Row } from "../Row.ts"
import { median, round } from "../support/statistics.ts"

const ROOT = resolve(import.meta.dirname, "../..")

const npmStart = async (folder: string): Promise<number> => {
  const began = performance.now()
  const child = spawn("npm", ["start"], {
    cwd: ROOT,
    env: { ...process.env, DATA_DIR: folder, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"]
  })
  await new Promise<void>((ready) =>
    child.stdout.on("data", (data) => {
      if (String(data).includes('"ready":true')) ready()
    })
  )
  const took = performance.now() - began
  const exited = once(child, "exit")
  child.kill("SIGTERM")
  await exited
  return took
}

const postgresAlone = (folder: string) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const began = performance.now()
      const home = yield* prepareHome(yield* findBinaries, folder)
      yield* ensureCluster(home)
      yield* startPostgres(home)
      const took = performance.now() - began
      yield* stopPostgres(home)
      return took
    })
  )

/**
 * `npm start` on an empty data directory until the ready line, compared with initdb and the start of PostgreSQL alone.
 */
export const start: Row = {
  name: "start",
  run: async (rounds) => {
    const raw: Array<Record<string, number>> = []
    for (let n = 0; n < rounds; n++) {
      const ours = await mkdtemp(join(tmpdir(), "troupe-start-"))
      const bare = await mkdtemp(join(tmpdir(), "troupe-start-"))
      raw.push({ ours_ms: round(await npmStart(ours)), postgres_ms: round(await postgresAlone(bare)) })
      await rm(ours, { recursive: true, force: true })
      await rm(bare, { recursive: true, force: true })
    }
    const ours = median(raw.map((row) => row["ours_ms"] ?? Number.NaN))
    const limit = median(raw.map((row) => row["postgres_ms"] ?? Number.NaN))
    return [
      {
        name: "start",
        what: "npm start to ready, empty data directory, against initdb and start of PostgreSQL",
        ours,
        limit,
        unit: "ms",
        ratio: round(ours / limit),
        goal: "<= 2.5",
        reached: ours / limit <= 2.5,
        raw
      }
    ]
  }
}
