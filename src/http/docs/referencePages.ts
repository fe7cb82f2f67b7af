import type { Page } from "./pages.ts"
import { cell, dereference, fieldTable, type Schema, type Schemas, typeText } from "./schemaTables.ts"

interface Content {
  readonly schema?: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>
}
interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}
interface Reference {
  readonly $ref: string
}
interface Body {
  readonly content?: Readonly<Record<string, Content>>
}
interface Response extends Body {
  /** The statuses that a response for all others is for. */
  readonly "x-statuses"?: ReadonlyArray<number>
}
interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly tags?: ReadonlyArray<string>
  readonly parameters?: ReadonlyArray<Parameter | Reference>
  readonly requestBody?: Body | Reference
  readonly responses?: Readonly<Record<string, Response | Reference>>
}
/** The operations of a path by their methods, and the parameters of all of them. */
interface PathItem {
  readonly parameters?: ReadonlyArray<Parameter | Reference>
  readonly [method: string]: Operation | PathItem["parameters"]
}
export interface OpenApi {
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components?: {
    readonly schemas?: Schemas
    readonly parameters?: Readonly<Record<string, Parameter>>
    readonly requestBodies?: Readonly<Record<string, Body>>
    readonly responses?: Readonly<Record<string, Response>>
  }
  readonly tags: ReadonlyArray<{
    readonly name: string
    readonly description?: string
    readonly "x-scalar-ignore"?: boolean
  }>
}

const JSON_TYPE = "application/json"

const exampleOf = ({ example, examples, schema }: Content, schemas: Schemas): unknown =>
  example ?? Object.values(examples ?? {})[0]?.value ?? dereference(schema ?? {}, schemas).examples?.[0]

/** What is in `data` of an envelope: all that its parts say of it. Null: the schema is no envelope. */
const dataOf = (given: Schema, schemas: Schemas): Schema | null => {
  const schema = dereference(given, schemas)
  const found = [schema.properties?.["data"], ...(schema.allOf ?? []).map((part) => dataOf(part, schemas))].filter(
    (part) => part !== undefined && part !== null
  )
  return found.length > 1 ? { allOf: found } : (found[0] ?? null)
}

const parameterTable = (parameters: ReadonlyArray<Parameter>, schemas: Schemas): ReadonlyArray<string> =>
  parameters.length === 0
    ? []
    : [
        "| Parameter | In | Type | Meaning |",
        "|---|---|---|---|",
        ...parameters.map(({ name, in: place, required, description = "", schema = {} }) => {
          const type = `${typeText(schema, schemas)}${required === true ? "" : ", optional"}`
          return `| \`${name}\` | ${place} | ${cell(type)} | ${cell(description || (schema.description ?? ""))} |`
        })
      ]

/** The parts of each kind of content, one after another. */
const ofContents = (
  content: Readonly<Record<string, Content>>,
  describe: (type: string, content: Content) => ReadonlyArray<string>
) => Object.entries(content).flatMap(([type, described]) => describe(type, described))

const jsonBlock = (value: unknown) => ["```json", JSON.stringify(value, null, 2), "```"].join("\n")

const body = (content: Readonly<Record<string, Content>>, schemas: Schemas): ReadonlyArray<string> =>
  ofContents(content, (type, described) => {
    const heading = `**Body** (\`${type}\`)`
    if (type !== JSON_TYPE) return [heading]
    const example = exampleOf(described, schemas)
    const table = fieldTable(described.schema ?? {}, schemas)
    return [heading].concat(table, example === undefined ? [] : jsonBlock(example))
  })

const answer = (responses: Readonly<Record<string, Response>>, schemas: Schemas): ReadonlyArray<string> =>
  Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([status, { content = {} }]) =>
      ofContents(content, (type, { schema = {} }) => {
        const data = dataOf(schema, schemas)
        const table = type === JSON_TYPE ? fieldTable(data ?? schema, schemas) : []
        const isEnveloped = table.length > 0 && data !== null
        return [`**Answer** ${status} (\`${type}\`${isEnveloped ? ", in `data`" : ""})`].concat(table)
      })
    )

const errors = (responses: Readonly<Record<string, Response>>): ReadonlyArray<string> => {
  const own = Object.keys(responses).filter((status) => /^[45]/.test(status))
  const statuses = new Set([...own, ...(responses["default"]?.["x-statuses"] ?? []).map(String)])
  return statuses.size === 0
    ? []
    : [`**Errors** ${[...statuses].toSorted().join(", ")}: see [Errors](/docs/build/errors).`]
}

/** Lines of a table must follow each other; all other parts need an empty line between them. */
const join = (parts: ReadonlyArray<string>): string =>
  parts.reduce((text, part, index) => {
    const together = part.startsWith("|") && parts[index - 1]?.startsWith("|") === true
    return index === 0 ? part : `${text}${together ? "\n" : "\n\n"}${part}`
  }, "")

/** A part of an operation, or the component that it refers to. */
const resolve = <Part extends object>(
  part: Part | Reference,
  components: Readonly<Record<string, Part>> | undefined
): Part => ("$ref" in part ? (components?.[part.$ref.split("/").at(-1) ?? ""] ?? ({} as Part)) : part)

const describe = (
  method: string,
  path: string,
  operation: Operation,
  document: Pick<OpenApi, "components">
): string => {
  const { schemas = {}, ...components } = document.components ?? {}
  const parameters = (operation.parameters ?? []).map((one) => resolve(one, components.parameters))
  const { content = {} } = resolve(operation.requestBody ?? {}, components.requestBodies)
  const responses = Object.fromEntries(
    Object.entries(operation.responses ?? {}).map(([status, one]) => [status, resolve(one, components.responses)])
  )
  return join([
    `## ${operation.summary ?? `${method.toUpperCase()} ${path}`}`,
    `\`${method.toUpperCase()} ${path}\``,
    ...(operation.description === undefined ? [] : [operation.description]),
    ...parameterTable(parameters, schemas),
    ...body(content, schemas),
    ...answer(responses, schemas),
    ...errors(responses)
  ])
}

/** The page of a tag. */
export const referencePage = (name: string): Page => ({
  file: `reference/${name}`,
  url: `/docs/reference/${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`,
  title: name
})

/** The page of all codes of errors. `list`: the catalogue as Markdown. */
export const errorCodesPage = (list: string): { readonly page: Page; readonly markdown: string } => ({
  page: referencePage("Error codes"),
  markdown: [
    "# Error codes",
    "[Errors](/docs/build/errors) describes the form of an error, and when to retry.",
    "Each line is a status, a code, whether to retry, a message, and what to do. Some errors have a more specific " +
      "message.",
    list
  ].join("\n\n")
})

/** A page for each tag of the runtime reference, as Markdown. The account plane is not in it (contract 4.3). */
export const referencePages = ({
  paths,
  tags,
  components = {}
}: OpenApi): ReadonlyArray<{ readonly page: Page; readonly markdown: string }> => {
  const operations = Object.entries(paths).flatMap(([path, { parameters: shared = [], ...methods }]) =>
    Object.entries(methods as Readonly<Record<string, Operation>>).map(
      ([method, { parameters = [], ...operation }]) => ({
        path,
        method,
        operation: { ...operation, parameters: [...shared, ...parameters] }
      })
    )
  )
  return tags
    .filter((tag) => tag["x-scalar-ignore"] !== true)
    .map(({ name, description = "" }) => ({
      page: referencePage(name),
      markdown: join([
        `# ${name}`,
        ...(description === "" ? [] : [`${description}.`]),
        ...operations
          .filter(({ operation }) => operation.tags?.includes(name))
          .map(({ path, method, operation }) => describe(method, path, operation, { components }))
      ])
    }))
}
