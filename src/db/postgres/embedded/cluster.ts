import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { chown, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { type Home, located } from "./home.ts"
import { run } from "./run.ts"

/** Only used to create the processes' role. */
export const SUPERUSER = "troupe"

const draftName = /^pg-new-\w{6}(\.pw)?$/

/**
 * A WAL segment is filled with zeros before its first use, and commits wait for that: 55 ms with PostgreSQL's 16 MB, 15
 * ms with this size.
 */
const WAL_SEGMENT_MB = 4

const dataDirError = (home: Home) => (cause: unknown) =>
  new EmbeddedPostgresError({
    reason: "data_dir",
    message:
      `DATA_DIR: Cannot make a database in ${home.directory}: ${String(cause)}. Set DATA_DIR to a directory ` +
      `that ` +
      `this user may write, or set DATABASE_URL.`
  })

const syncDirectory = async (path: string) => {
  const handle = await open(path)
  await handle.sync().finally(() => handle.close())
}

const draftFor = async (home: Home) => {
  const draft = await mkdtemp(join(home.directory, "pg-new-"))
  const passwordFile = `${draft}.pw`
  const password = randomBytes(24).toString("base64url")
  await writeFile(passwordFile, password, { mode: 0o600 })
  const { owner } = home
  if (owner !== null) await Promise.all([draft, passwordFile].map((path) => chown(path, owner.uid, owner.gid)))
  return { draft, passwordFile, password }
}

/** rename(2) decides races: a cluster appears as a whole with its password, or not at all. */
const publish = async (home: Home, draft: string, password: string) => {
  await writeFile(join(draft, "password"), password, { mode: 0o600, flush: true })
  await syncDirectory(draft)
  await rename(draft, home.cluster)
  await syncDirectory(home.directory)
}

const remove = (paths: ReadonlyArray<string>) =>
  Effect.promise(() => Promise.allSettled(paths.map((path) => rm(path, { recursive: true, force: true }))))

const initialise = Effect.fnUntraced(function* (home: Home) {
  const { draft, passwordFile, password } = yield* Effect.tryPromise({
    try: () => draftFor(home),
    catch: dataDirError(home)
  })
  const { directory, path } = located(home, draft)
  const made = yield* run({
    owner: home.owner,
    file: home.binaries.initdb,
    directory,
    input: passwordFile,
    args: [
      "-D",
      path,
      "-U",
      SUPERUSER,
      "-A",
      "scram-sha-256",
      "--pwfile=/dev/fd/3",
      "-E",
      "UTF8",
      "--locale=C",
      `--wal-segsize=${WAL_SEGMENT_MB}`,
      "--no-instructions"
    ]
  }).pipe(Effect.ensuring(remove([passwordFile])))
  if (made.code !== 0) return yield* dataDirError(home)(`initdb: ${made.output}`)
  yield* Effect.tryPromise({ try: () => publish(home, draft, password), catch: dataDirError(home) })
}, Effect.uninterruptible)

/**
 * Once there is a cluster, no draft can become one. Remaining drafts belong to processes that lost the race or were
 * killed.
 */
const sweep = Effect.fnUntraced(function* (home: Home) {
  const entries = yield* Effect.promise(() => readdir(home.directory).catch(() => []))
  yield* remove(entries.filter((entry) => draftName.test(entry)).map((entry) => join(home.directory, entry)))
})

/** Creates the cluster unless it exists. */
export const ensureCluster = Effect.fn("EmbeddedPostgres.ensureCluster")(function* (home: Home) {
  if (!existsSync(home.cluster)) {
    // Another process was first and deleted our draft: use its cluster.
    yield* initialise(home).pipe(Effect.catch((error) => (existsSync(home.cluster) ? Effect.void : Effect.fail(error))))
  }
  yield* sweep(home)
})

const foreign = (home: Home) => (cause: unknown) =>
  new EmbeddedPostgresError({
    reason: "foreign_cluster",
    message:
      `Cannot read the password of the database in ${home.cluster}: ${String(cause)}. Start as the user who ` +
      `made ` +
      `it, set DATA_DIR to another directory, or set DATABASE_URL.`
  })

/** The password of the superuser. */
export const readPassword = (home: Home) =>
  Effect.tryPromise({ try: () => readFile(join(home.cluster, "password"), "utf8"), catch: foreign(home) })

/** The password of the processes' role. Null: the role does not exist yet. */
export const readRolePassword = (home: Home) =>
  Effect.tryPromise({
    try: () =>
      readFile(join(home.cluster, "app-password"), "utf8").catch((error: unknown) => {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return null
        throw error
      }),
    catch: foreign(home)
  })

export const writeRolePassword = (home: Home, password: string) =>
  Effect.tryPromise({
    try: async () => {
      const path = join(home.cluster, "app-password")
      await writeFile(`${path}.new`, password, { mode: 0o600, flush: true })
      await rename(`${path}.new`, path)
    },
    catch: dataDirError(home)
  })
