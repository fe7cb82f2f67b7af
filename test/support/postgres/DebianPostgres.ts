import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { chmod, chown, mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findBinaries } from "#src/db/postgres/embedded/binaries.ts"
import { prepareHome } from "#src/db/postgres/embedded/home.ts"
import { run } from "#src/db/postgres/embedded/run.ts"
import { freePort } from "#test/support/freePort.ts"

const PROGRAMS = "/usr/lib/postgresql/15/bin"

/** Whether Debian's PostgreSQL 15 is installed: the oldest version that Troupe supports. */
export const hasPostgres15 = existsSync(join(PROGRAMS, "postgres"))

export interface DebianPostgres {
  /** The address of the database `postgres`, for its superuser. */
  readonly url: string
  readonly stop: () => Promise<void>
}

/** A new server of PostgreSQL 15. It runs as the same user as the embedded server. */
export const startPostgres15 = async (): Promise<DebianPostgres> => {
  const folder = await mkdtemp(join(tmpdir(), "troupe-postgres-15-"))
  const { owner } = await Effect.runPromise(Effect.flatMap(findBinaries, (embedded) => prepareHome(embedded, folder)))
  const cluster = join(folder, "cluster")
  await mkdir(cluster, { mode: 0o700 })
  await chmod(folder, 0o711)
  if (owner !== null) await chown(cluster, owner.uid, owner.gid)
  const ran = async (program: string, ...args: ReadonlyArray<string>) => {
    const file = join(PROGRAMS, program)
    const { code, output } = await Effect.runPromise(
      run({ owner, file, directory: "/", args: [...args, "-D", cluster] })
    )
    if (code !== 0) throw new Error(`${program}: ${output}`)
  }
  await ran("initdb", "--username=troupe", "--auth=trust", "--encoding=UTF8", "--no-sync")
  const port = await freePort()
  const options = `-c port=${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`
  await ran("pg_ctl", "start", "-w", "-s", "-l", join(cluster, "server.log"), "-o", options)
  return {
    url: `postgres://troupe@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await ran("pg_ctl", "stop", "-m", "immediate")
      await rm(folder, { recursive: true, force: true })
    }
  }
}
