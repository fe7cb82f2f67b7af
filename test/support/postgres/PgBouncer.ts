import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { inject } from "vitest"
import { findPgBouncer, NOBODY } from "./findPgBouncer.ts"
import { freePort } from "#test/support/freePort.ts"
import { onDatabase } from "./onDatabase.ts"
import { until } from "#test/support/until.ts"

export interface PgBouncer {
  /** The address of a database of the test server through the pooler. */
  readonly through: (url: string) => string
  /** The connections of clients to this database, and those to the server that they share. */
  readonly connections: (url: string) => Promise<{ readonly clients: number; readonly servers: number }>
  /** Leads to another server from now on, as operators tell it after a failover. */
  readonly leadTo: (server: URL) => Promise<void>
  /** Replaces the connections to the server, as after a change of the role's settings. */
  readonly reconnect: () => Promise<void>
  /** Sends a notification on a connection to the pooler, as a process does. */
  readonly notify: (url: string, channel: string, payload: string) => Promise<void>
  /** Kills it with SIGKILL and starts it again. */
  readonly restart: () => Promise<void>
  readonly close: () => Promise<void>
}

const program = findPgBouncer()
/** Whether PgBouncer can be started. Without it, its tests are skipped. */
export const hasPgBouncer = program !== null
if (!hasPgBouncer) console.warn("The pooler is not tested: PgBouncer is not installed (apt-get install pgbouncer)")

const nameOf = (url: string) => new URL(url).pathname.slice(1)

/** PgBouncer in transaction mode in front of a server, with this many connections to each database. */
export const startPgBouncer = async (options: {
  readonly poolSize: number
  /** With the role and its password. Absent: the test server. */
  readonly server?: URL
  /** The settings that it ignores when clients connect. It refuses all others. */
  readonly ignored: string
}): Promise<PgBouncer> => {
  const { file, env } = program!
  const server = options.server ?? new URL(inject("postgresUrl"))
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), "troupe-pgbouncer-"))
  const path = join(folder, "pgbouncer.ini")
  const [user, password] = [server.username, server.password].map(decodeURIComponent)
  const write = ({ hostname, port: serverPort }: URL) =>
    writeFile(
      path,
      `[databases]
* = host=${hostname} port=${serverPort} user=${user} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
admin_users = ${user}
pool_mode = transaction
default_pool_size = ${options.poolSize}
ignore_startup_parameters = ${options.ignored}
`
    )
  await write(server)
  // For the user that it runs as. Its folder is deleted with the test.
  await chmod(folder, 0o755)
  const run = async () => {
    const child: ChildProcess = spawn(file, [path], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...env },
      ...NOBODY
    })
    let log = ""
    child.stderr?.on("data", (data) => {
      log += data
    })
    const exited = once(child, "exit")
    await until("PgBouncer to listen", () => {
      if (child.exitCode !== null) throw new Error(`PgBouncer exited with ${child.exitCode}: ${log}`)
      return log.includes(`listening on 127.0.0.1:${port}`)
    })
    return async () => {
      child.kill("SIGKILL")
      await exited
    }
  }
  let kill = await run()
  const address = new URL(server)
  address.host = `127.0.0.1:${port}`
  const console = postgres(onDatabase(address.href, "pgbouncer"), { max: 1, fetch_types: false, onnotice: () => {} })
  const tell = (command: string) => console.unsafe<Array<Record<string, string | number>>>(command)
  const through = (url: string) => onDatabase(address.href, nameOf(url))
  return {
    through,
    notify: async (url, channel, payload) => {
      const sql = postgres(through(url), { max: 1, prepare: false, fetch_types: false })
      await sql`select pg_notify(${channel}, ${payload})`
      await sql.end()
    },
    connections: async (url) => {
      const here = ({ database }: Record<string, string | number>) => database === nameOf(url)
      const [clients, servers] = [await tell("show clients"), await tell("show servers")]
      return { clients: clients.filter(here).length, servers: servers.filter(here).length }
    },
    leadTo: async (next) => {
      await write(next)
      await tell("reload")
      await tell("reconnect")
    },
    reconnect: async () => {
      await tell("reconnect")
    },
    restart: async () => {
      await kill()
      kill = await run()
    },
    close: async () => {
      await console.end({ timeout: 1 })
      await kill()
      await rm(folder, { recursive: true, force: true })
    }
  }
}
