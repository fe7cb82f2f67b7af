import { spawn } from "node:child_process"
import { once } from "node:events"
import { createReadStream, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as z from "zod"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import type { Result, Row } from "../Row.ts"
import { type BenchHarness, startBenchHarness } from "../support/BenchHarness.ts"
import { addFleetOfApps } from "../support/fleetOfApps.ts"
import { load } from "../support/load.ts"
import { residentBytes, startServer } from "../support/processes.ts"
import { round } from "../support/statistics.ts"

const ROOT = resolve(import.meta.dirname, "../..")
const MIB = 1024 * 1024
const SENDERS = 16
/** Messages per second while the backup is made. */
const RATE = 50
const SESSIONS = 100
const SAMPLE_MS = 250

const Created = z.object({ data: z.object({ id: z.string() }) })

interface Ran {
  readonly seconds: number
  /** The largest resident memory, in MiB, of the first tenth of the run and of all of it. */
  readonly earlyMib: number
  readonly peakMib: number
}

/** Runs a command of the program and samples its memory. */
const run = async (database: Readonly<Record<string, string>>, args: ReadonlyArray<string>): Promise<Ran> => {
  const since = performance.now()
  const child = spawn(process.execPath, ["bin/troupe.mjs", ...args], {
    cwd: ROOT,
    env: { ...process.env, SECRETS_KEY, ...database },
    stdio: ["ignore", "ignore", "inherit"]
  })
  const exited = once(child, "exit")
  const samples: Array<number> = []
  const timer = setInterval(() => {
    try {
      samples.push(residentBytes(child.pid ?? 0) / MIB)
    } catch {
      // The process has ended since.
    }
  }, SAMPLE_MS)
  const [code] = await exited
  clearInterval(timer)
  if (code !== 0) throw new Error(`${args[0]} exited with ${code}`)
  // The first two seconds load the program.
  const running = samples.slice(2000 / SAMPLE_MS)
  return {
    seconds: (performance.now() - since) / 1000,
    earlyMib: Math.max(...running.slice(0, Math.ceil(running.length / 10))),
    peakMib: Math.max(...running)
  }
}

const readSeconds = async (file: string): Promise<number> => {
  const since = performance.now()
  for await (const chunk of createReadStream(file)) void chunk
  return (performance.now() - since) / 1000
}

/** Sends messages at a steady rate until `over` is settled. Returns the p50 of each second's load. */
const sendUntil = async (
  { key }: BenchHarness,
  baseUrl: string,
  sessions: ReadonlyArray<string>,
  over: Promise<unknown>
) => {
  let isOver = false
  void over.then(
    () => (isOver = true),
    () => (isOver = true)
  )
  const waits: Array<number> = []
  let errors = 0
  for (;;) {
    const { p50Ms, errors: failed } = await load({
      baseUrl,
      connections: SENDERS,
      seconds: 5,
      rate: RATE,
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ text: "hello there, how are you today?" }),
      path: () => `/v1/sessions/${sessions[Math.floor(Math.random() * sessions.length)]}/messages`
    })
    waits.push(p50Ms)
    errors += failed
    if (isOver) break
  }
  if (errors > 0) throw new Error(`${errors} messages were not accepted`)
  return waits.sort((a, b) => a - b)[Math.floor(waits.length / 2)] ?? Number.NaN
}

/** The ids of new sessions. */
const createSessions = ({ key }: BenchHarness, baseUrl: string): Promise<ReadonlyArray<string>> =>
  Promise.all(
    Array.from({ length: SESSIONS }, async (_, n) => {
      const response = await fetch(`${baseUrl}/v1/sessions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ character_slug: "bench", external_user_ref: `sender ${n}` })
      })
      return Created.parse(await response.json()).data.id
    })
  )

const measure = async (): Promise<ReadonlyArray<Result>> => {
  const harness = await startBenchHarness(0)
  const folder = mkdtempSync(join(tmpdir(), "troupe-bench-backup-"))
  const file = join(folder, "troupe.backup")
  try {
    await addFleetOfApps(harness)
    const [size] = await harness.sql<[{ mib: number }]>`
      select (pg_database_size(current_database()) / ${MIB})::int as mib`
    const server = await startServer(harness.url, "api")
    const sessions = await createSessions(harness, server.baseUrl)
    const alone = await sendUntil(harness, server.baseUrl, sessions, Promise.resolve())
    const backing = run({ DATABASE_URL: harness.url }, ["backup", file])
    const beside = await sendUntil(harness, server.baseUrl, sessions, backing)
    const backup = await backing
    await server.stop()
    const verified = await run({}, ["verify", file])
    const restored = await run({ DATA_DIR: join(folder, "data") }, ["restore", file])
    const fileMib = Math.round(statSync(file).size / MIB)
    const raw = [
      {
        database_mib: size.mib,
        file_mib: fileMib,
        backup_s: round(backup.seconds),
        verify_s: round(verified.seconds),
        restore_s: round(restored.seconds),
        read_file_s: round(await readSeconds(file)),
        restore_peak_mib: Math.round(restored.peakMib),
        verify_peak_mib: Math.round(verified.peakMib)
      }
    ]
    const result = (what: string, ours: number, limit: number, unit: string, most: number): Result => ({
      name: "backup",
      what,
      ours: round(ours),
      limit: round(limit),
      unit,
      ratio: round(ours / limit),
      goal: `<= ${most}`,
      reached: ours / limit <= most,
      raw: []
    })
    return [
      {
        ...result(
          "memory of a backup at its peak, against its first tenth",
          backup.peakMib,
          backup.earlyMib,
          "MiB",
          1.2
        ),
        raw
      },
      result(
        "memory of a restore at its peak, against its first tenth",
        restored.peakMib,
        restored.earlyMib,
        "MiB",
        1.2
      ),
      result(`p50 of ${RATE} sends/s during a backup, against none`, beside, alone, "ms", 2)
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await harness.close()
  }
}

/** A backup of some gigabytes while messages are accepted, and its restore: memory, time and size. */
export const backup: Row = { name: "backup", run: measure }
