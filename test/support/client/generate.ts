import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { describeServer } from "#src/http/server/reference/openapi.ts"
import * as described from "#src/composition/routes.ts"
import { isHidden, operationsIn } from "#test/support/sources/operationsIn.ts"
import { withTypeScript5 } from "./withTypeScript5.ts"

const TARGET = resolve(import.meta.dirname, "../../../clients/typescript/src/generated")

interface Operation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly parameters?: ReadonlyArray<{ readonly $ref?: string; readonly name?: string; readonly in?: string }>
  readonly [field: string]: unknown
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly parameters: Readonly<Record<string, { readonly name: string; readonly in: string }>>
    readonly [kind: string]: unknown
  }
}

/** Operations that backends do not call: the document itself, and MCP, which has clients of its own. */
const isForOthers = ({ tags }: Operation): boolean => tags.includes("Reference") || tags.includes("MCP")

/** Errors are one type for all operations, so the types of operations need not repeat them. */
const withoutErrors = (operation: Operation): Operation => ({
  ...operation,
  responses: Object.fromEntries(
    Object.entries(operation["responses"] as object).filter(([status]) => status.startsWith("2"))
  )
})

/** The components that these parts refer to, and those that they refer to. */
const namesIn = (part: unknown, components: Document["components"], found = new Set<string>()): Set<string> => {
  for (const [, kind = "", name = ""] of JSON.stringify(part).matchAll(/#\/components\/(\w+)\/([\w.-]+)/g)) {
    if (found.has(`${kind}/${name}`)) continue
    found.add(`${kind}/${name}`)
    namesIn((components[kind] as Readonly<Record<string, unknown>>)[name], components, found)
  }
  return found
}

/** What a backend calls with a runtime key: the reference without the account plane and the operator's routes. */
const runtimeOf = (whole: Document & { readonly webhooks?: unknown }): Document => {
  const { components, ...document } = whole
  const shown = operationsIn(whole).filter(
    ({ operation }) => !isHidden(operation, whole) && !isForOthers(operation as Operation)
  )
  const paths = Object.fromEntries(
    [...Map.groupBy(shown, ({ path }) => path)].map(([path, found]) => [
      path,
      Object.fromEntries(found.map(({ method, operation }) => [method, withoutErrors(operation as Operation)]))
    ])
  )
  const used = namesIn([paths, "#/components/schemas/WebhookEvent", "#/components/schemas/Error"], components)
  const kept = Object.entries(components).map(([kind, parts]) => [
    kind,
    kind === "securitySchemes"
      ? parts
      : Object.fromEntries(Object.entries(parts as object).filter(([name]) => used.has(`${kind}/${name}`)))
  ])
  const { webhooks: _, ...rest } = document
  return { ...rest, paths, components: Object.fromEntries(kept) }
}

const parametersOf = ({ parameters = [] }: Operation, { components }: Document) =>
  parameters.map((given) =>
    given.$ref === undefined ? given : (components.parameters[given.$ref.split("/").at(-1) ?? ""] ?? {})
  )
const takesKey = (operation: Operation, document: Document): boolean =>
  parametersOf(operation, document).some(({ name }) => name === "idempotency-key")
const payloadOf = (operation: Operation, document: Document): string =>
  operation["requestBody"] !== undefined
    ? "body"
    : parametersOf(operation, document).some((parameter) => parameter.in === "query")
      ? "query"
      : "none"

/** Method, path, whether it accepts an Idempotency-Key, and what it takes beside its path, for each operation. */
const operationsText = (document: Document): string => {
  const lines = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) =>
        `  ${operation.operationId}: ["${method.toUpperCase()}", "${path}", ` +
        `${takesKey(operation, document)}, "${payloadOf(operation, document)}"]`
    )
  )
  const typeOf = (id: string) => id.slice(0, 1).toUpperCase() + id.slice(1)
  const types = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .map(
      ({ operationId: id }) => `  ${id}: { request: types.${typeOf(id)}Data; answers: types.${typeOf(id)}Responses }`
    )
  return [
    "// Generated from /openapi.json by npm run generate:client. Do not edit.",
    'import type * as types from "./types.gen.ts"',
    "",
    "/** Method, path, whether an Idempotency-Key is accepted, and what it takes beside its path. */",
    "export const OPERATIONS = {",
    lines.join(",\n"),
    "} as const",
    "",
    "export interface Operations {",
    types.join("\n"),
    "}",
    ""
  ].join("\n")
}

const generate = async (): Promise<ReadonlyMap<string, string>> => {
  const document = runtimeOf(JSON.parse(await describeServer(described)) as Document)
  const folder = await mkdtemp(join(tmpdir(), "troupe-client-"))
  try {
    const input = join(folder, "openapi.json")
    await writeFile(input, JSON.stringify(document))
    withTypeScript5()
    const { createClient } = await import("@hey-api/openapi-ts")
    await createClient({
      input,
      output: { path: join(folder, "out") },
      plugins: ["@hey-api/typescript"],
      logs: { level: "silent" }
    })
    const types = await readFile(join(folder, "out/types.gen.ts"), "utf8")
    return new Map([
      ["types.gen.ts", types],
      ["operations.gen.ts", operationsText(document)]
    ])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const isCheck = process.argv.includes("--check")
for (const [name, text] of await generate()) {
  const file = join(TARGET, name)
  if (!isCheck) await writeFile(file, text)
  else if ((await readFile(file, "utf8").catch(() => "")) !== text) {
    console.error(`${file} is not what /openapi.json says: run npm run generate:client`)
    process.exitCode = 1
  }
}
