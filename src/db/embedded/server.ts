import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import type { Home } from "./home.ts"
import { run } from "./run.ts"

const read = (...path: ReadonlyArray<string>) => {
  try {
    return readFileSync(join(...path), "utf8")
  } catch {
    return ""
  }
}

/** The port that the running, or a killed, server wrote down. */
export const portOf = (home: Home) =>
  Effect.sync(() => Option.filter(Option.some(Number(read(home.cluster, "postmaster.pid").split("\n")[3])), (port) => port > 0))

/** The port of the last start, so that a process which holds the address of a server that died finds it again. */
const lastPort = (home: Home) => Number(/port=(\d+)/.exec(read(home.cluster, "postmaster.opts"))?.[1] ?? 0)

const listenable = (port: number) =>
  Effect.callback<number | null>((resume) => {
    const probe = createServer()
    probe.once("error", () => { resume(Effect.succeed(null)) })
    probe.listen(port, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => { resume(Effect.succeed(address !== null && typeof address === "object" ? address.port : null)) })
    })
  })

/**
 * PostgreSQL takes a postmaster.pid for alive when any process of its user has that pid. In a container it may be one of
 * ours, since pids repeat, or a killed postmaster that nobody reaps. Synchronous: no server starts between look and removal.
 */
const forgetStranger = (home: Home) =>
  Effect.sync(() => {
    const pid = Number(read(home.cluster, "postmaster.pid").split("\n")[0])
    if (process.platform !== "linux" || !(pid > 0)) return
    const status = read("/proc", String(pid), "status")
    const stranger = status !== "" && (!/^Name:\tpostgres$/m.test(status) || /^State:\tZ/m.test(status))
    if (stranger) rmSync(join(home.cluster, "postmaster.pid"), { force: true })
  })

/** Starts the server unless it runs; postmaster.pid is the arbiter, so only one of many starters gets code 0. */
export const start = Effect.fn("EmbeddedPostgres.start")(function*(home: Home) {
  yield* forgetStranger(home)
  const port = (yield* listenable(lastPort(home))) ?? (yield* listenable(0)) ?? 0
  const settings = [
    // The log's sizes are PostgreSQL's own: initdb would have them shrink with the segments.
    `port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200", "shared_buffers=128MB", "min_wal_size=80MB", "max_wal_size=1GB"
  ]
  const options = settings.map((setting) => `-c ${setting}`).join(" ")
  return yield* run(home.uid, home.binaries.pgCtl, ["start", "-w", "-t", "30", "-s", "-D", home.cluster, "-l", home.log, "-o", options])
})

export const stop = Effect.fn("EmbeddedPostgres.stop")(function*(home: Home) {
  return yield* run(home.uid, home.binaries.pgCtl, ["stop", "-w", "-s", "-m", "fast", "-D", home.cluster])
})
