import * as Effect from "effect/Effect"
import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { makeDataDir } from "#src/db/dataDir.ts"
import type { Binaries } from "./binaries.ts"

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
  const directory = yield* makeDataDir(dataDir)
  const cluster = join(directory, "pg")
  const uid = yield* Effect.promise(() => uidFor(cluster))
  return { binaries, directory, cluster, log: join(cluster, "server.log"), uid } satisfies Home
})
