import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { mkdir, stat } from "node:fs/promises"
import { dirname, resolve } from "node:path"

/** Its message is for the person who starts the process. */
export class DataDirError extends Schema.TaggedError<DataDirError>()("DataDirError", {
  directory: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return (
      `DATA_DIR: Cannot create the data directory ${this.directory}: ${String(this.cause)}. Set DATA_DIR to a ` +
      `directory that this user may write.`
    )
  }
}

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : undefined)
const isFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false
  )

/**
 * Creates a folder with access for its owner only, unless it exists. Does not use `mkdir` with `recursive`, which never
 * returns below /proc: the parent exists, but the folder cannot be created.
 */
export const makeFolder = async (path: string): Promise<void> => {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) === "EEXIST" && (await isFolder(path))) return
    if (codeOf(error) !== "ENOENT" || (await isFolder(dirname(path)))) throw error
    await makeFolder(dirname(path))
    await makeFolder(path)
  }
}

/** Creates the data directory with access for its owner only, unless it exists. Returns its absolute path. */
export const makeDataDir = (dataDir: string): Effect.Effect<string, DataDirError> => {
  const directory = resolve(dataDir)
  return Effect.tryPromise({
    try: () => makeFolder(directory),
    catch: (cause) => new DataDirError({ directory, cause })
  }).pipe(Effect.as(directory))
}
