import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { randomInt } from "node:crypto"
import { readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { type Home, located } from "./home.ts"
import { run } from "./run.ts"

const read = (...path: ReadonlyArray<string>) => {
  try {
    return readFileSync(join(...path), "utf8")
  } catch {
    return ""
  }
}

/** The port that a running or killed server has recorded. */
export const portOf = (home: Home) =>
  Effect.sync(() =>
    Option.filter(Option.some(Number(read(home.cluster, "postmaster.pid").split("\n")[3])), (port) => port > 0)
  )

/** The port of the last start, so that processes with the address of a dead server find its successor. */
const lastPort = (home: Home) => Number(/port=(\d+)/.exec(read(home.cluster, "postmaster.opts"))?.[1] ?? 0)

/**
 * Below the ports that systems assign to outgoing connections and to programs that request any port. One of those could
 * otherwise take the port of a dead server before its restart.
 */
const PORTS = { from: 20_000, count: 10_000 }

const isFree = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const probe = createServer()
    probe.once("error", () => {
      resume(Effect.succeed(false))
    })
    probe.listen(port, "127.0.0.1", () => {
      probe.close(() => {
        resume(Effect.succeed(true))
      })
    })
  })

/** A free port, the last one if possible. */
const choosePort = Effect.fnUntraced(function* (home: Home) {
  let port = lastPort(home)
  for (let tries = 0; tries < 100; tries++) {
    if (port > 0 && (yield* isFree(port))) break
    port = PORTS.from + randomInt(PORTS.count)
  }
  return port
})

/**
 * PostgreSQL considers a postmaster.pid valid if any process of its user has that pid. In a container it may be one of
 * our processes, because pids repeat, or a killed postmaster that was not reaped. Synchronous, so that no server starts
 * between check and removal.
 */
const forgetStranger = (home: Home) =>
  Effect.sync(() => {
    const pid = Number(read(home.cluster, "postmaster.pid").split("\n")[0])
    if (process.platform !== "linux" || !(pid > 0)) return
    const status = read("/proc", String(pid), "status")
    const stranger = status !== "" && (!/^Name:\tpostgres$/m.test(status) || /^State:\tZ/m.test(status))
    if (stranger) rmSync(join(home.cluster, "postmaster.pid"), { force: true })
  })

/** pg_ctl passes the options through a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Starts the server unless it runs. postmaster.pid decides races, so only one of several starters gets code 0. */
const startAt = Effect.fn("EmbeddedPostgres.start")(function* (home: Home, port: number) {
  yield* forgetStranger(home)
  const settings = [
    // WAL sizes have PostgreSQL's defaults: initdb would reduce them with the segment size.
    `port=${port}`,
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    // A process opens up to 20, and a dozen of them may share the server.
    "max_connections=400",
    "shared_buffers=128MB",
    "min_wal_size=80MB",
    "max_wal_size=1GB"
  ]
  // The last one is for people: `ps` shows which cluster a server belongs to.
  const options = [...settings, `troupe.cluster=${home.cluster}`].map((setting) => `-c ${quoted(setting)}`).join(" ")
  const { directory, path } = located(home, home.cluster)
  return yield* run({
    owner: home.owner,
    file: home.binaries.pgCtl,
    directory,
    args: ["start", "-w", "-t", "30", "-s", "-D", path, "-l", join(path, "server.log"), "-o", options]
  })
})

export const start = (home: Home) => Effect.flatMap(choosePort(home), (port) => startAt(home, port))

/** Restarts a dead server on the port where its processes expect it. */
export const startAgain = Effect.fnUntraced(function* (home: Home, { url }: { readonly url: string }) {
  const port = Number(new URL(url).port)
  if (yield* isFree(port)) return void (yield* startAt(home, port))
  yield* Effect.logWarning(
    `embedded PostgreSQL cannot be started: another program listens on its port ${port}, or it is still ending. ` +
      `Trying again`
  )
})

export const stop = Effect.fn("EmbeddedPostgres.stop")(function* (home: Home) {
  const { directory, path } = located(home, home.cluster)
  return yield* run({
    owner: home.owner,
    file: home.binaries.pgCtl,
    directory,
    args: ["stop", "-w", "-s", "-m", "fast", "-D", path]
  })
})
