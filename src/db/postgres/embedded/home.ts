import * as Effect from "effect/Effect"
import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { makeDataDir } from "#src/db/postgres/dataDir.ts"
import type { Binaries } from "./binaries.ts"
import { readableBinaries } from "./readableBinaries.ts"
import type { Owner } from "./run.ts"

/** The location of a server, and the user that it runs as. */
export interface Home {
  readonly binaries: Binaries
  readonly directory: string
  readonly cluster: string
  readonly log: string
  /** The user to switch to for PostgreSQL. Null: no switch. */
  readonly owner: Owner | null
}

const nobody: Owner = { uid: 65534, gid: 65534 }

/** The users of this machine that PostgreSQL may run as. */
const readUsers = async () => {
  const lines = (await readFile("/etc/passwd", "utf8").catch(() => "")).split("\n").map((line) => line.split(":"))
  return lines.map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
}

/** A cluster belongs to the user who created it. Root then runs the server as that user. */
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
 * The path by which PostgreSQL's programs refer to a directory, and their working directory. A user that root switches
 * to may not be able to traverse the path (DATA_DIR is only accessible to its owner). So root enters the directory, and
 * the programs refer to their working directory: the kernel follows that link without traversal.
 */
export const located = ({ owner }: Home, path: string) =>
  owner === null ? { directory: "/", path } : { directory: path, path: "/proc/self/cwd" }
