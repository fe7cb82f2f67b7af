import { constants, type Stats } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { BackupRefused } from "./BackupRefused.ts"

const SOCKET = "a socket"

const kindOf = (found: Stats) =>
  found.isDirectory() ? "a folder" : found.isFIFO() ? "a pipe" : found.isSocket() ? SOCKET : "a device"

/**
 * Opens a file to read it, and nothing else: a pipe has no size and no place to read from again, and even opening one
 * would wait for its writer. `command` is what writes such files.
 */
export const openRegular = async (path: string, command: string): Promise<FileHandle> => {
  const refused = (kind: string) =>
    new BackupRefused({ message: `${path} is ${kind}: give a regular file that "troupe ${command}" has written` })
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "ENXIO" ? refused(SOCKET) : error
  })
  const found = await file.stat()
  if (found.isFile()) return file
  await file.close()
  throw refused(kindOf(found))
}
