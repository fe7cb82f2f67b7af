import { writeSync } from "node:fs"
import { workerData } from "node:worker_threads"
import type { Sql } from "postgres"
import { readUnit } from "#src/units/Unit.ts"
import { Vitals } from "#src/units/vitals.ts"
import { countCrash, countStuckUnit } from "./countCrash.ts"
import { type Sample, StuckClock } from "./StuckClock.ts"

/** The input for this thread. */
export interface MonitorData {
  readonly memory: SharedArrayBuffer
  readonly databaseUrl: string
  /** How long the event loop may be stuck, in milliseconds. */
  readonly mostStuckMs: number
}

/** Time limit for this thread's database writes. A stuck process has to end. */
const WRITE_WITHIN_MS = 5_000

const { memory, databaseUrl, mostStuckMs } = workerData as MonitorData
const vitals = new Vitals(memory)
const betweenMs = mostStuckMs / 20
const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

// This thread's streams go through the main thread, which is stuck.
const say = (level: "warn" | "error", event: string, message: string, details: object) => {
  writeSync(
    2,
    `${JSON.stringify({ time: new Date().toISOString(), level, event, message, service: "Monitor", ...details })}\n`
  )
}

let sql: Sql | undefined
/**
 * Runs statements one after another on this thread's own connection. An unavailable database does not keep the process
 * alive.
 */
const write = async (work: (sql: Sql) => Promise<unknown>): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined
  try {
    const [{ default: postgres }, { toPrimary }] = await Promise.all([
      import("postgres"),
      import("#src/db/postgres/primary.ts")
    ])
    sql ??= postgres(databaseUrl, {
      ...toPrimary(databaseUrl),
      max: 1,
      fetch_types: false,
      connect_timeout: 5,
      idle_timeout: 20,
      onnotice: () => {},
      connection: { application_name: "troupe-monitor" }
    })
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("no answer in time")), WRITE_WITHIN_MS)
    })
    await Promise.race([work(sql), late])
    return true
  } catch (cause) {
    say("warn", "monitor_write_failed", "The monitor could not write to the database.", {
      reason: cause instanceof Error ? cause.message : String(cause)
    })
    return false
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Records on the worker's row what its process is stuck in, or that it no longer is. Written after half of the time
 * limit: after the full limit, other processes may consider the worker dead, and should not count a crash for
 * everything that it holds.
 */
const mark = ({ workerId, unit }: Pick<Sample, "workerId" | "unit">) => {
  const named = readUnit(unit)
  return workerId === ""
    ? true
    : write(
        (sql) => sql`
    update workers set stuck_app_id =
      ${named?.appId ?? null}, stuck_kind =
        ${named?.kind ?? null}, stuck_unit = ${named?.key ?? null} where worker_id = ${workerId}`
      )
}

/** A worker's row says whether the unit is counted, because the process may also be killed by something else. */
const count = ({ workerId, unit }: Sample) => {
  const named = readUnit(unit)
  if (named === null) return mark({ workerId, unit })
  return write((sql) =>
    workerId === ""
      ? countCrash<Record<never, never>>(sql, named)
      : countStuckUnit<Record<never, never>>(sql, workerId, named)
  )
}

/** Kills the process. If the unit is known, its crash is counted first. */
const end = async (look: Sample) => {
  const named = readUnit(look.unit)
  const recorded = await count(look)
  say(
    "error",
    "event_loop_stuck",
    `The event loop has been stuck for ${Math.round(look.stuckMs / 1000)} s: ending the process (SIGKILL).`,
    named === null
      ? { unit: null, note: "It is not known which unit of work it was in: turns in flight count a crash." }
      : { unit: named.kind, app_id: named.appId, key: named.key, recorded }
  )
  process.kill(process.pid, "SIGKILL")
}

/** The unit on the worker's row. */
let marked = ""
const markAs = async (look: Sample) => {
  await mark(look)
  marked = look.unit
}

const clock = new StuckClock(betweenMs, performance.now(), cpuMs())
let busy = false
setInterval(() => {
  const look = clock.look(vitals.see(), performance.now(), cpuMs())
  if (busy) return
  const wanted = look.stuckMs >= mostStuckMs / 2 ? look.unit : ""
  const work =
    look.stuckMs >= mostStuckMs ? end(look) : wanted !== marked ? markAs({ ...look, unit: wanted }) : undefined
  if (work === undefined) return
  busy = true
  void work.finally(() => {
    busy = false
  })
}, betweenMs)
