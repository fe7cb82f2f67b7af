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

/** How long it takes, in milliseconds, until something is ready, and how long until it has ended. */
interface Run {
  readonly start: number
  readonly stop: number
}

const npmStart = async (folder: string): Promise<Run> => {
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
  const start = performance.now() - began
  const stopped = performance.now()
  const exited = once(child, "exit")
  child.kill("SIGTERM")
  await exited
  return { start, stop: performance.now() - stopped }
}

const postgresAlone = (folder: string) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const began = performance.now()
      const home = yield* prepareHome(yield* findBinaries, folder)
      yield* ensureCluster(home)
      yield* startPostgres(home)
      const start = performance.now() - began
      const stopped = performance.now()
      yield* stopPostgres(home)
      return { start, stop: performance.now() - stopped } satisfies Run
    })
  )

/**
 * `npm start` on an empty data directory until the ready line, compared with initdb and the start of PostgreSQL alone,
 * and SIGTERM until the process has ended, compared with the stop of PostgreSQL alone.
 */
export const start: Row = {
  name: "start",
  run: async (rounds) => {
    const raw: Array<Record<string, number>> = []
    for (let n = 0; n < rounds; n++) {
      const folder = await mkdtemp(join(tmpdir(), "troupe-start-"))
      const bareFolder = await mkdtemp(join(tmpdir(), "troupe-start-"))
      const ours = await npmStart(folder)
      const bare = await postgresAlone(bareFolder)
      raw.push({
        start_ms: round(ours.start),
        start_postgres_ms: round(bare.start),
        stop_ms: round(ours.stop),
        stop_postgres_ms: round(bare.stop)
      })
      await rm(folder, { recursive: true, force: true })
      await rm(bareFolder, { recursive: true, force: true })
    }
    const middle = (name: string) => median(raw.map((row) => row[name] ?? Number.NaN))
    const result = (what: string, ours: number, limit: number, most: number) => ({
      name: "start",
      what,
      ours,
      limit,
      unit: "ms",
      ratio: round(ours / limit),
      goal: `<= ${most}`,
      reached: ours / limit <= most,
      raw
    })
    return [
      result(
        "npm start to ready, empty data directory, against initdb and start of PostgreSQL",
        middle("start_ms"),
        middle("start_postgres_ms"),
        2.5
      ),
      result("SIGTERM to exit, against the stop of PostgreSQL", middle("stop_ms"), middle("stop_postgres_ms"), 5)
    ]
  }
}
