import * as Effect from "effect/Effect"
import { mkdir, readFile, stat } from "node:fs/promises"
import { join, resolve } from "node:path"
import type { Binaries } from "./binaries.ts"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

/** Where a server lives and as whom it runs. */
export interface Home {
  readonly binaries: Binaries
  readonly directory: string
  readonly cluster: string
  readonly log: string
  /** Whom to become for PostgreSQL; null: stay who we are. */
  readonly uid: number | null
}

const nobody = 65534

const postgresUid = readFile("/etc/passwd", "utf8")
  .then((users) => Number(/^postgres:[^:]*:(\d+)/m.exec(users)?.[1] ?? nobody))
  .catch(() => nobody)

/** A cluster belongs to whoever made it: root then runs the server as that user. */
const uidFor = async (cluster: string) => {
  if (process.getuid?.() !== 0) return null
  return await stat(cluster).then((found) => found.uid).catch(() => postgresUid)
}

export const prepareHome = Effect.fnUntraced(function*(binaries: Binaries, dataDir: string) {
  const directory = resolve(dataDir)
  const cluster = join(directory, "pg")
  return yield* Effect.tryPromise({
    try: async (): Promise<Home> => {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      return { binaries, directory, cluster, log: join(cluster, "server.log"), uid: await uidFor(cluster) }
    },
    catch: (cause) =>
      new EmbeddedPostgresError({
        reason: "data_dir",
        message: `Cannot create the data directory ${directory}: ${String(cause)}. Set DATA_DIR to a directory that this user may write, or set DATABASE_URL.`
      })
  })
})
