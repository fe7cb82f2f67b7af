import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { existsSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { join, resolve } from "node:path"
import postgres from "postgres"
import { type Binaries, EmbeddedPostgresError, findBinaries } from "./binaries.ts"
import { clusterAddress, createCluster, startCluster, stopCluster } from "./cluster.ts"

/**
 * An advisory lock that every process shares for as long as it uses the server. Who can take it alone is the last one.
 */
const PRESENCE = 7_302_117
const TRIES = 100

interface Attached {
  readonly url: string
  readonly presence: postgres.Sql
}

const attach = async (home: string): Promise<Attached> => {
  const { url } = await clusterAddress(home)
  const presence = postgres(url, { max: 1, fetch_types: false, onnotice: () => {}, connect_timeout: 5, idle_timeout: 0, max_lifetime: null, connection: { application_name: "troupe-presence" } })
  try {
    await presence`select pg_advisory_lock_shared(${PRESENCE})`
    return { url, presence }
  } catch (error) {
    await presence.end({ timeout: 0 }).catch(() => {})
    throw error
  }
}

const open = async (binaries: Binaries, home: string): Promise<Attached> => {
  await mkdir(home, { recursive: true }).catch((error: Error) => {
    throw new EmbeddedPostgresError({ problem: `DATA_DIR ${home} cannot be made: ${error.message}` })
  })
  for (let tries = 0; tries < TRIES; tries++) {
    if (!existsSync(join(home, "pg"))) await createCluster(binaries, home)
    try {
      return await attach(home)
    } catch {
      // Not started, stopping, or recovering. If another process is starting it, its start wins and ours fails.
      if (!(await startCluster(binaries, home))) await new Promise((resume) => setTimeout(resume, 100))
    }
  }
  throw new EmbeddedPostgresError({ problem: `PostgreSQL in ${home} does not start; see ${join(home, "pg", "server.log")}` })
}

const close = async (binaries: Binaries, home: string, { presence }: Attached): Promise<void> => {
  try {
    await presence`select pg_advisory_unlock_shared(${PRESENCE})`
    const [row] = await presence<Array<{ last: boolean }>>`select pg_try_advisory_lock(${PRESENCE}) as last`
    if (row?.last === true) await stopCluster(binaries, home)
  } catch {
    // The server is gone already.
  } finally {
    await presence.end({ timeout: 1 }).catch(() => {})
  }
}

/**
 * PostgreSQL from npm, in a folder. The server belongs to the folder, not to a process: whoever comes first makes and starts it,
 * whoever finds one running (an orphan of a killed process, too) uses it, and the last one out stops it.
 * Each race has one arbiter: rename(2) for making, postmaster.pid for starting, an advisory lock for stopping.
 */
export const openEmbedded = (dataDir: string): Effect.Effect<{ readonly url: string }, EmbeddedPostgresError, Scope.Scope> =>
  Effect.gen(function*() {
    const binaries = yield* findBinaries
    const home = resolve(dataDir)
    return yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: () => open(binaries, home),
        catch: (error) => error instanceof EmbeddedPostgresError ? error : new EmbeddedPostgresError({ problem: `embedded PostgreSQL in ${home}: ${String(error)}` })
      }),
      (attached) => Effect.promise(() => close(binaries, home, attached))
    )
  })
