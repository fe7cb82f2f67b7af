import { createHash } from "node:crypto"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join, relative, resolve } from "node:path"

const ROOT = resolve(import.meta.dirname, "../../..")
/** Everything that the weights depend on. */
const SOURCES = [
  "test/safety/messages",
  "test/safety/training",
  "pipeline/safety/classifier",
  "pipeline/plain.ts",
  "pipeline/compatible.ts",
  "pipeline/lookAlikes.ts"
]

const filesOf = (path: string): ReadonlyArray<string> =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .toSorted()
        .flatMap((name) => filesOf(join(path, name)))
    : [path]

/** A digest of what the weights are learned from. Only `train.ts` writes it beside them. */
export const digestOfTraining = (): string => {
  const hash = createHash("sha256")
  for (const file of SOURCES.flatMap((source) => filesOf(join(ROOT, source)))) {
    if (!/weights\.(?:bin\.zst|json)$/.test(file)) hash.update(`${relative(ROOT, file)}\0`).update(readFileSync(file))
  }
  return hash.digest("hex")
}
