import { randomBytes } from "node:crypto"
import { type FileHandle, link, lstat, open, rename, rm } from "node:fs/promises"
import { BackupRefused } from "./BackupRefused.ts"

const taken = (path: string) => new BackupRefused({ message: `${path} exists already: give another name` })

const isTakenError = (error: unknown) => error instanceof Error && "code" in error && error.code === "EEXIST"

/** A link that leads nowhere has the name, too. */
const isTaken = (path: string) =>
  lstat(path).then(
    () => true,
    () => false
  )

/** A link is made only if nothing has the name. Some file systems have none: there, an empty file takes the name. */
const giveName = async (partial: string, path: string) => {
  try {
    await link(partial, path)
  } catch (error) {
    if (isTakenError(error)) throw error
    await (await open(path, "wx", 0o600)).close()
    await rename(partial, path)
  }
}

/**
 * Writes a file that has its name only when it is complete, and replaces none, even if one with this name appears
 * meanwhile. Until then it is a new one, `FILE.….partial`, that only its owner can read.
 */
export const writeNew = async <A>(path: string, write: (file: FileHandle) => Promise<A>): Promise<A> => {
  if (await isTaken(path)) throw taken(path)
  const partial = `${path}.${randomBytes(4).toString("hex")}.partial`
  const file = await open(partial, "wx", 0o600)
  try {
    const written = await write(file)
    await giveName(partial, path).catch((error: unknown) => {
      throw isTakenError(error) ? taken(path) : error
    })
    return written
  } finally {
    await rm(partial, { force: true })
    // Not awaited: a write that hangs would hide why the work has failed.
    file.close().catch(() => {})
  }
}
