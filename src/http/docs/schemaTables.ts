/** A JSON schema of the OpenAPI document, as far as the reference shows it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly description?: string
  readonly format?: string
  readonly const?: unknown
  readonly enum?: ReadonlyArray<unknown>
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly anyOf?: ReadonlyArray<Schema>
  readonly oneOf?: ReadonlyArray<Schema>
  readonly allOf?: ReadonlyArray<Schema>
  readonly examples?: ReadonlyArray<unknown>
}

export type Schemas = Readonly<Record<string, Schema>>

/** How many levels of nested fields a table shows. */
const MAX_DEPTH = 3
const MAX_ALTERNATIVES = 12

export const dereference = (schema: Schema, schemas: Schemas): Schema =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {})

const isNull = ({ type }: Schema) => type === "null"
const bounds = (least: number | undefined, most: number | undefined, unit: string) => {
  const [from, to] = [Number.isSafeInteger(least ?? 0) ? least : undefined, most]
  if (from !== undefined && to !== undefined) return `, ${from} to ${to}${unit}`
  if (to !== undefined) return `, at most ${to}${unit}`
  return from === undefined ? "" : `, at least ${from}${unit}`
}
/** JSON schemas of integers have these as bounds where there is none. */
const number = (bound: number | undefined) =>
  bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound

/** The type of a value in words, such as `string or null`. */
export const typeText = (given: Schema, schemas: Schemas, depth = 0): string => {
  const schema = dereference(given, schemas)
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ")
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives !== undefined && depth < MAX_DEPTH) {
    const texts = new Set(alternatives.map((each) => (isNull(each) ? "null" : typeText(each, schemas, depth + 1))))
    return [...texts].slice(0, MAX_ALTERNATIVES).join(" or ")
  }
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? [])
  return types.length === 0
    ? schema.properties !== undefined || schema.allOf !== undefined
      ? "object"
      : "any"
    : types
        .map((type) =>
          type === "array"
            ? "array of " +
              typeText(schema.items ?? {}, schemas, depth + 1) +
              bounds(undefined, schema.maxItems, " items")
            : type === "string"
              ? (schema.format ?? "string") +
                bounds(schema.minLength === 0 ? undefined : schema.minLength, schema.maxLength, " characters")
              : type === "integer" || type === "number"
                ? type + bounds(number(schema.minimum), number(schema.maximum), "")
                : type
        )
        .join(" or ")
}

/** The object behind a schema: itself, the items of an array, or the only alternative that is not null. */
const objectOf = (given: Schema, schemas: Schemas): { readonly schema: Schema; readonly suffix: string } | null => {
  const schema = dereference(given, schemas)
  if (schema.allOf !== undefined) {
    const parts = schema.allOf.map((part) => objectOf(part, schemas)?.schema ?? {})
    return {
      schema: {
        properties: Object.assign({}, ...parts.map(({ properties }) => properties), schema.properties),
        required: [...parts.flatMap(({ required = [] }) => required), ...(schema.required ?? [])]
      },
      suffix: ""
    }
  }
  if (schema.properties !== undefined) return { schema, suffix: "" }
  if (schema.items !== undefined) {
    const item = objectOf(schema.items, schemas)
    return item === null ? null : { schema: item.schema, suffix: `[]${item.suffix}` }
  }
  const alternatives = (schema.anyOf ?? schema.oneOf ?? []).filter((each) => !isNull(each))
  return alternatives.length === 1 && alternatives[0] !== undefined ? objectOf(alternatives[0], schemas) : null
}

/** A text as a cell of a Markdown table. */
export const cell = (text: string): string =>
  text.replaceAll(/\s+/g, " ").replaceAll("\\", "\\\\").replaceAll("|", "\\|").replaceAll("<", "&lt;")

const rows = (given: Schema, schemas: Schemas, prefix: string, depth: number): ReadonlyArray<string> => {
  const object = objectOf(given, schemas)
  if (object === null || depth > MAX_DEPTH) return []
  const { properties = {}, required = [] } = object.schema
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const description = field.description ?? dereference(field, schemas).description ?? ""
    const type = `${cell(typeText(field, schemas))}${required.includes(name) ? "" : ", optional"}`
    const inner = objectOf(field, schemas)
    return [`| \`${path}\` | ${type} | ${cell(description)} |`].concat(
      inner === null ? [] : rows(field, schemas, `${path}${inner.suffix}.`, depth + 1)
    )
  })
}

/** A Markdown table of an object's fields. Empty if it has none. */
export const fieldTable = (schema: Schema, schemas: Schemas): ReadonlyArray<string> => {
  const lines = rows(schema, schemas, "", 1)
  return lines.length === 0 ? [] : ["| Field | Type | Meaning |", "|---|---|---|", ...lines]
}
