import { readdirSync } from "node:fs"
import { resolve } from "node:path"
import * as z from "zod"

const HTTP = resolve(import.meta.dirname, "../..")

/**
 * The name of each schema that a file exports: that of its export, without `Data`. So a schema is named
 * once, where it is defined, and the document and generated clients have the same names.
 */
export const schemaNames = async (): Promise<ReadonlyMap<unknown, string>> => {
  // Pages of the console have no JSON, and files of threads are for threads.
  const files = readdirSync(HTTP, { recursive: true, encoding: "utf8" }).filter((name) =>
    /^(?!console\/).*(?<!Thread)\.ts$/.test(name)
  )
  const modules: ReadonlyArray<Readonly<Record<string, unknown>>> = await Promise.all(
    files.map((file) => import(resolve(HTTP, file)))
  )
  return new Map(
    modules
      .flatMap((exported) => Object.entries(exported))
      .filter(([, value]) => value instanceof z.ZodType)
      .map(([name, schema]) => [schema, name.slice(0, 1).toUpperCase() + name.slice(1).replace(/Data$/, "")])
  )
}
