import * as Effect from "effect/Effect"
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Binaries } from "./binaries.ts"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

/** Where root copies programs that another user has to run. */
const CACHE = "/var/cache/troupe"

const READ_AND_EXECUTE = 0o005
const EXECUTE = 0o001
const WRITABLE_BY_OTHERS = 0o022

const allows = async (path: string, bits: number) => ((await stat(path)).mode & bits) === bits

const ancestors = (path: string): ReadonlyArray<string> =>
  dirname(path) === path ? [path] : [path, ...ancestors(dirname(path))]

/** Whether every user may run the programs. They load libraries and time zones by path while they run. */
const isReadable = async (native: string, { initdb }: Binaries) => {
  const open = await Promise.all([
    allows(initdb, READ_AND_EXECUTE),
    allows(join(native, "share"), READ_AND_EXECUTE),
    ...ancestors(dirname(initdb)).map((folder) => allows(folder, EXECUTE))
  ])
  return !open.includes(false)
}

const openToAll = async (folder: string) => {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isDirectory()) await chmod(path, 0o755)
    else if (entry.isFile()) await chmod(path, (await allows(path, 0o100)) ? 0o755 : 0o644)
  }
}

/** rename(2) decides races: a copy appears as a whole, and of two concurrent copies one stays. */
const copy = async (native: string, target: string) => {
  const draft = await mkdtemp(join(CACHE, "new-"))
  try {
    await cp(native, draft, { recursive: true, verbatimSymlinks: true })
    await openToAll(draft)
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (
      !(await stat(target).then(
        () => true,
        () => false
      ))
    )
      throw error
  }
}

const makeCache = async () => {
  await mkdir(CACHE).then(
    () => chmod(CACHE, 0o755),
    (error: unknown) => {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
    }
  )
  const { mode, uid } = await lstat(CACHE)
  if (uid !== 0 || (mode & WRITABLE_BY_OTHERS) !== 0) throw new Error(`${CACHE} can be written by others than root`)
}

/**
 * The programs in a location where every user can run them: the original one, or a copy that root makes once per
 * version.
 */
export const readableBinaries = Effect.fnUntraced(function* (binaries: Binaries) {
  const native = dirname(dirname(binaries.initdb))
  return yield* Effect.tryPromise({
    try: async (): Promise<Binaries> => {
      if (await isReadable(native, binaries)) return binaries
      const { version } = JSON.parse(await readFile(join(native, "../package.json"), "utf8")) as {
        readonly version: string
      }
      const target = join(CACHE, `postgres-${version}-${process.arch}`)
      await makeCache()
      if (
        !(await stat(target).then(
          () => true,
          () => false
        ))
      )
        await copy(native, target)
      return { initdb: join(target, "bin/initdb"), pgCtl: join(target, "bin/pg_ctl") }
    },
    catch: (cause) =>
      new EmbeddedPostgresError({
        reason: "command",
        message:
          `PostgreSQL does not run as root, and no other user can read its programs in ${native}. They cannot ` +
          `be copied to ${CACHE} either: ${String(cause)}. ` +
          "Start as another user, install Troupe where every user can read it, or set DATABASE_URL."
      })
  })
})
