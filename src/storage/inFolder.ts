import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { randomBytes } from "node:crypto"
import { readFile, rename, rm, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { makeFolder } from "#src/db/postgres/dataDir.ts"
import { namesOf, Storage, StorageError } from "./Storage.ts"

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && "code" in thrown ? String(thrown.code) : "failed"
const attempt = <A>(work: () => Promise<A>) =>
  Effect.tryPromise({ try: work, catch: (thrown) => new StorageError({ code: codeOf(thrown) }) })

/**
 * Contents as files, one folder per app. A file is written under another name and then renamed, so that a partial file
 * is never read.
 */
export const layer = (folder: string) =>
  Layer.sync(Storage, () => {
    const root = resolve(folder)
    const pathOf = (key: string) => {
      const [app, object] = namesOf(key)
      return { folder: join(root, app), file: join(root, app, object) }
    }
    return Storage.of({
      kind: "folder",
      put: (key, content) =>
        attempt(async () => {
          const { folder, file } = pathOf(key)
          const draft = `${file}.${randomBytes(6).toString("hex")}.draft`
          await makeFolder(folder)
          try {
            await writeFile(draft, content, { mode: 0o600, flag: "wx", flush: true })
            await rename(draft, file)
          } catch (error) {
            await rm(draft, { force: true })
            throw error
          }
        }),
      get: (key) =>
        attempt(async () => {
          try {
            return await readFile(pathOf(key).file)
          } catch (error) {
            if (codeOf(error) === "ENOENT") return null
            throw error
          }
        }),
      remove: (key) => attempt(() => rm(pathOf(key).file, { force: true }))
    })
  })
