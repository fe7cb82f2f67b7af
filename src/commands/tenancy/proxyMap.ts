import { readFile, rename, writeFile } from "node:fs/promises"

interface Entry {
  readonly prefix: string
  readonly cell: string
}

const keyOf = (line: string) => line.trim().split(/\s+/, 1)[0] ?? ""

/** Puts these keys at the top of a map of HAProxy, each once. The file is replaced as a whole. */
export const writeMap = async (path: string, entries: ReadonlyArray<Entry>): Promise<void> => {
  const text = await readFile(path, "utf8")
  const keys = new Set(entries.map(({ prefix }) => prefix))
  const others = text.split("\n").filter((line) => !keys.has(keyOf(line)))
  const lines = [...entries.map(({ prefix, cell }) => `${prefix} ${cell}`), ...others]
  await writeFile(`${path}.partial`, lines.join("\n"))
  await rename(`${path}.partial`, path)
}
