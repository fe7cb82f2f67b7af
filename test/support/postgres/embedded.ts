import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as EmbeddedPostgres from "#src/db/postgres/embedded/open.ts"

/** Opens the server of a folder as a process would. `close` is that process leaving. */
export const openServer = async (
  dataDir: string
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> => {
  const scope = await Effect.runPromise(Scope.make())
  const { url } = await Effect.runPromise(EmbeddedPostgres.open(dataDir).pipe(Scope.provide(scope)))
  return { url, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/** The URL of the same server for its superuser. */
export const superuserUrl = (dataDir: string, url: string): string => {
  const at = new URL(url)
  at.username = "troupe"
  at.password = readFileSync(join(dataDir, "pg/password"), "utf8")
  return at.href
}

const commandLine = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
  } catch {
    return ""
  }
}

/** Processes whose command line contains this folder: the postmaster and what starts or stops it. */
export const processesOn = (dataDir: string): ReadonlyArray<{ readonly pid: number; readonly command: string }> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid: Number(pid), command: commandLine(pid) }))
    .filter(({ command }) => command.includes(dataDir))
