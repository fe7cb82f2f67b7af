import * as Effect from "effect/Effect"
import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { makeDataDir } from "#src/db/postgres/dataDir.ts"
import type { Binaries } from "./binaries.ts"
import { readableBinaries } from "./readableBinaries.ts"
import type { Owner } from "./run.ts"

/** Where a server lives and as whom it runs. */
export interface Home {
  readonly binaries: Binaries
  readonly directory: string
  readonly cluster: string
  readonly log: string
  /** Whom to become for PostgreSQL; null: stay who we are. */
  readonly owner: Owner | null
}

const nobody: Owner = { uid: 65534, gid: 65534 }

/** The users of this machine as far as PostgreSQL may run as one of them. */
const readUsers = async () => {
  const lines = (await readFile("/etc/passwd", "utf8").catch(() => "")).split("\n").map((line) => line.split(":"))
  return lines.map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
}

/** A cluster belongs to whoever made it: root then runs the server as that user. */
const ownerFor = async (cluster: string): Promise<Owner | null> => {
  if (process.getuid?.() !== 0) return null
  const users = await readUsers()
  const uid = await stat(cluster)
    .then((found) => found.uid)
    .catch(() => users.find(({ name }) => name === "postgres")?.uid ?? nobody.uid)
  return { uid, gid: users.find((user) => user.uid === uid)?.gid ?? nobody.gid }
}

export const prepareHome = Effect.fnUntraced(function* (binaries: Binaries, dataDir: string) {
  const directory = yield* makeDataDir(dataDir)
  const cluster = join(directory, "pg")
  const owner = yield* Effect.promise(() => ownerFor(cluster))
  const readable = owner === null ? binaries : yield* readableBinaries(binaries)
  return { binaries: readable, directory, cluster, log: join(cluster, "server.log"), owner } satisfies Home
})

/**
 * How PostgreSQL's programs are told of a directory, and where they start. A user that root dropped to may be unable to
 * walk there (DATA_DIR is its owner's alone), so root enters the directory, and the programs name the directory that
 * they are in: the kernel follows that link without a walk.
 */
export const located = ({ owner }: Home, path: string) =>
  owner === null ? { directory: "/", path } : { directory: path, path: "/proc/self/cwd" }
