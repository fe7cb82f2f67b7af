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
 * A folder for its owner alone, unless it is there. Not `mkdir` with `recursive`: below /proc it never comes back,
 * since the parent is there and the folder still cannot be made.
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

/** Makes the data directory, for its owner alone, unless it is there; answers its absolute path. */
export const makeDataDir = (dataDir: string): Effect.Effect<string, DataDirError> => {
  const directory = resolve(dataDir)
  return Effect.tryPromise({
    try: () => makeFolder(directory),
    catch: (cause) => new DataDirError({ directory, cause })
  }).pipe(Effect.as(directory))
}
