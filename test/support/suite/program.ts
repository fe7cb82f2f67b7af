import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { rolldown } from "rolldown"
import { POISONED_FILES, poisonedSource } from "../poisonedSource.ts"

const ROOT = resolve(import.meta.dirname, "../../..")
const CACHE = join(ROOT, "node_modules/.cache")
/** Packages that find their own files by their location. */
const EXTERNAL = /^(node:|sharp$|piscina$|re2js$)/

/** The file that starts the program. A bundle of this run of the tests, or else the sources. */
export const programFile = (): string => process.env["TROUPE_TEST_PROGRAM"] ?? join(ROOT, "bin/troupe.mjs")

/**
 * Bundles the program for the processes that tests start, because loading 1,700 modules takes half of the processor
 * time of a start. Modules keep the location of their source, so files and threads are those of the tree.
 */
export const bundleProgram = async (): Promise<{ readonly remove: () => Promise<void> }> => {
  await mkdir(CACHE, { recursive: true })
  const folder = await mkdtemp(join(CACHE, "test-program-"))
  const bundle = await rolldown({
    input: join(ROOT, "src/main.ts"),
    platform: "node",
    logLevel: "silent",
    external: EXTERNAL,
    plugins: [
      {
        name: "poison",
        transform: {
          filter: { id: POISONED_FILES.map((file) => new RegExp(`${file.replaceAll(".", "\\.")}$`)) },
          handler: (code, id) => poisonedSource(id, code)
        }
      },
      {
        name: "keep-locations",
        transform: {
          filter: { code: /import\.meta\.(url|dirname)/ },
          handler: (code, id) =>
            code
              .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
              .replaceAll("import.meta.dirname", JSON.stringify(dirname(id)))
        }
      }
    ]
  })
  await bundle.write({ dir: folder, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" })
  await bundle.close()
  process.env["TROUPE_TEST_PROGRAM"] = join(folder, "main.mjs")
  // For the processes that run the tests, those that they start, and the threads of both, which load the sources.
  process.env["NODE_COMPILE_CACHE"] = join(folder, "compiled")
  // Processes that are still ending write what they have compiled.
  return { remove: () => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }) }
}
