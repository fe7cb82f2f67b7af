import { readdirSync, readFileSync } from "node:fs"
import type { BenchHarness } from "./BenchHarness.ts"

/** USER_HZ of Linux: the unit of processor time in /proc. */
const TICK_MS = 10

/** The fields of /proc/PID/stat from the third on: the name before them may contain spaces. */
const statOf = (pid: number): ReadonlyArray<number> => {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8")
  return text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number)
}
const parentOf = (pid: number): number => statOf(pid)[1] ?? 0
/** Processor time of a process and of its children that have ended, in milliseconds. */
export const cpuMs = (pid: number): number => {
  const stat = statOf(pid)
  return [11, 12, 13, 14].reduce((sum, field) => sum + (stat[field] ?? 0), 0) * TICK_MS
}

/** Processor time of PostgreSQL: the server and its backends. */
export const databaseCpuMs = async ({ sql }: BenchHarness): Promise<number> => {
  const [row] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`
  const server = parentOf(row.pid)
  const backends = readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && parentOf(pid) === server
      } catch {
        // The process has ended since.
        return false
      }
    })
  return [server, ...backends].reduce((sum, pid) => sum + cpuMs(pid), 0)
}
