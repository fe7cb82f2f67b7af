import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import * as Redacted from "effect/Redacted"
import { Database } from "#src/db/postgres/Database.ts"
import { migrate } from "#src/db/postgres/migrate.ts"
import { findBinaries } from "#src/db/postgres/embedded/binaries.ts"
import { type Home, located, prepareHome } from "#src/db/postgres/embedded/home.ts"
import { run } from "#src/db/postgres/embedded/run.ts"
import { openServer, superuserUrl } from "./embedded.ts"
import { freePort } from "#test/support/freePort.ts"
import type { TestDatabase } from "#test/support/TestDatabase.ts"
import { until } from "#test/support/until.ts"

export interface ReplicatedPostgres {
  /** The database, with an address that names both servers. Its `sql` follows the server that takes writes. */
  readonly database: TestDatabase
  /** The address of the database on each of them alone. */
  readonly primary: URL
  readonly standby: URL
  /** Kills every process of the primary with SIGKILL. */
  readonly killPrimary: () => Promise<void>
  /** Ends the replication: the standby has what is committed now, and lacks the rest. Only without `synchronous`. */
  readonly stopReplication: () => Promise<void>
  /** Makes the standby the primary. */
  readonly promote: () => Promise<void>
}

const pgCtl = async (home: Home, ...args: ReadonlyArray<string>) => {
  const { directory, path } = located(home, home.cluster)
  const { owner, binaries } = home
  const ran = await Effect.runPromise(run({ owner, file: binaries.pgCtl, directory, args: [...args, "-D", path] }))
  if (ran.code !== 0) throw new Error(`pg_ctl ${args[0]}: ${ran.output}\n${await readFile(home.log, "utf8")}`)
}

const start = (home: Home, port: number) =>
  pgCtl(home, "start", "-w", "-s", "-l", join(located(home, home.cluster).path, "server.log"), "-o", `-c port=${port}`)

/**
 * A primary and a streaming standby, both of the embedded PostgreSQL. Each commit waits for the standby unless
 * `synchronous` is false.
 */
export const startReplicatedPostgres = async ({ synchronous = true } = {}): Promise<ReplicatedPostgres> => {
  const folders = await Promise.all(["primary", "standby"].map((name) => mkdtemp(join(tmpdir(), `troupe-${name}-`))))
  const [first = "", second = ""] = folders
  const server = await openServer(first)
  const superuser = new URL(superuserUrl(first, server.url))
  await server.close()

  const binaries = await Effect.runPromise(findBinaries)
  const [primary, standby] = await Promise.all(
    [first, second].map((folder) => Effect.runPromise(prepareHome(binaries, folder)))
  )
  if (primary === undefined || standby === undefined) throw new Error("two servers were asked for")
  const [port, standbyPort] = [await freePort(), await freePort()]
  await appendFile(
    join(primary.cluster, "postgresql.conf"),
    "\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\nfsync = off\nmax_connections = 400\n" +
      (synchronous ? "synchronous_standby_names = '*'\n" : "")
  )
  execFileSync("cp", ["-a", primary.cluster, standby.cluster])
  await appendFile(
    join(standby.cluster, "postgresql.conf"),
    `\nsynchronous_standby_names = ''\nprimary_conninfo = 'host=127.0.0.1 port=${port} user=${superuser.username} ` +
      `password=${superuser.password}'\n`
  )
  await writeFile(join(standby.cluster, "standby.signal"), "")
  await start(primary, port)
  await start(standby, standbyPort)

  const address = new URL(server.url)
  const url = server.url.replace(address.host, `127.0.0.1:${port},127.0.0.1:${standbyPort}`)
  const on = (serverPort: number): URL => new URL(server.url.replace(address.host, `127.0.0.1:${serverPort}`))
  // As operators do, so that health may see the standby.
  superuser.host = `127.0.0.1:${port}`
  const admin = postgres(superuser.href, { max: 1, fetch_types: false, onnotice: () => {} })
  await admin`grant pg_monitor to ${admin(decodeURIComponent(address.username))}`
  await admin.end()
  const sql = postgres(url, { max: 4, onnotice: () => {}, target_session_attrs: "read-write" })
  await Effect.runPromise(
    Effect.provide(migrate, Database.layer({ url: Redacted.make(url), maxConnections: 2 })) as Effect.Effect<unknown>
  )
  return {
    database: {
      url,
      sql,
      drop: async () => {
        await sql.end({ timeout: 1 })
        await Promise.all([primary, standby].map((home) => pgCtl(home, "stop", "-m", "immediate").catch(() => {})))
        await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })))
      }
    },
    primary: on(port),
    standby: on(standbyPort),
    killPrimary: async () => {
      const [postmaster = ""] = (await readFile(join(primary.cluster, "postmaster.pid"), "utf8")).split("\n")
      const backends = execFileSync("ps", ["-o", "pid=", "--ppid", postmaster], { encoding: "utf8" }).split("\n")
      for (const pid of [postmaster, ...backends].map(Number).filter((pid) => pid > 0)) process.kill(pid, "SIGKILL")
    },
    stopReplication: async () => {
      const [now] = await sql<Array<{ lsn: string }>>`select pg_current_wal_insert_lsn()::text as lsn`
      await until("the standby to have everything", async () => {
        const [row] = await sql<Array<{ whole: boolean }>>`
          select flush_lsn >= ${now?.lsn ?? ""}::pg_lsn as whole from pg_stat_replication`
        return row?.whole
      })
      const conf = join(standby.cluster, "postgresql.conf")
      await appendFile(conf, "\nprimary_conninfo = ''\n")
      await pgCtl(standby, "reload")
      await until("the end of the replication", async () => {
        const [row] = await sql<
          Array<{ senders: number }>
        >`select count(*)::int as senders from pg_stat_get_wal_senders()`
        return row?.senders === 0
      })
    },
    promote: () => pgCtl(standby, "promote", "-w")
  }
}
