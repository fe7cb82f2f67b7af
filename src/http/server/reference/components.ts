export type Json = Readonly<Record<string, unknown>>
type Mutable = Record<string, unknown>

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** A schema with at most so many characters is shown where it is used. */
const SMALL = 100

const LISTS: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"])
const SINGLES: ReadonlySet<string> = new Set(["items", "additionalProperties", "not", "propertyNames"])

/** Schemas that are part of many others, and are named in them although they have few fields. */
const PARTS: ReadonlySet<string> = new Set(["Created", "Written"])

/** Formats that say what their pattern says. */
const FORMATS: ReadonlySet<unknown> = new Set(["date-time", "date", "time", "uri", "email"])

/** A single possible value as `const`, however the library writes it. */
const withConst = ({ enum: values, ...schema }: Json): Json =>
  Array.isArray(values) ? { ...schema, ...(values.length === 1 ? { const: values[0] } : { enum: values }) } : schema

/**
 * A schema without what only describes the library: the bounds of JavaScript's integers, and patterns of formats and of
 * numbers in a query.
 */
const withoutInternals = (schema: Json): Json =>
  Object.fromEntries(
    Object.entries(withConst(schema)).filter(
      ([key, value]) =>
        key !== "title" &&
        key !== "$schema" &&
        !(key === "minimum" && value === Number.MIN_SAFE_INTEGER) &&
        !(key === "maximum" && value === Number.MAX_SAFE_INTEGER) &&
        !(key === "minLength" && value === 1 && schema["pattern"] === "\\S") &&
        !(key === "pattern" && (FORMATS.has(schema["format"]) || schema["type"] === "integer")) &&
        !(key === "propertyNames" && JSON.stringify(value) === '{"type":"string"}') &&
        !(key === "additionalProperties" && (value === true || JSON.stringify(value) === "{}")) &&
        !(key === "default" && (value === Number.MIN_SAFE_INTEGER || value === Number.MAX_SAFE_INTEGER))
    )
  )

/** `{"type": ["string", "null"]}` for a value of one type or null, which is half as long. */
const withoutNullBranch = ({ anyOf, ...rest }: Json): Json => {
  if (!Array.isArray(anyOf)) return { ...rest }
  const [value, absent] = anyOf as ReadonlyArray<Json>
  const isShort =
    anyOf.length === 2 &&
    JSON.stringify(absent) === '{"type":"null"}' &&
    typeof value?.["type"] === "string" &&
    value["enum"] === undefined &&
    value["const"] === undefined
  return isShort ? { ...value, type: [value["type"], "null"], ...rest } : { anyOf, ...rest }
}

const keysOf = (schema: Json): ReadonlyArray<string> =>
  isJson(schema["properties"]) ? Object.keys(schema["properties"]) : []
const requiredOf = (schema: Json): ReadonlyArray<unknown> =>
  Array.isArray(schema["required"]) ? schema["required"] : []
const isPlainObject = (schema: Json): boolean =>
  schema["type"] === "object" &&
  Object.keys(schema).every((key) => ["type", "properties", "required", "description"].includes(key))

/**
 * The schemas of a document by name. Each schema with a title becomes one of them, and is referred to wherever it
 * occurs.
 */
export class Components {
  readonly schemas = new Map<string, Json>()

  /** The schema with references. `input`: of a request, where a schema may accept more than a response has. */
  readonly refer = (schema: Json, input: boolean): Json => {
    const named = schema["title"]
    const inner: Mutable = {}
    for (const [key, value] of Object.entries(withoutInternals(schema))) {
      if (LISTS.has(key) && Array.isArray(value)) inner[key] = value.map((one) => this.refer(one, input))
      else if (SINGLES.has(key) && isJson(value)) inner[key] = this.refer(value, input)
      else if (key === "properties" && isJson(value))
        inner[key] = Object.fromEntries(
          Object.entries(value).map(([name, one]) => [name, isJson(one) ? this.refer(one, input) : one])
        )
      else inner[key] = value
    }
    const short = withoutNullBranch(inner)
    return typeof named === "string" && JSON.stringify(short).length > SMALL ? this.#put(named, short, input) : short
  }

  #put(named: string, { description, default: preset, ...content }: Json, input: boolean): Json {
    for (const name of input ? [named, `${named}Input`] : [named]) {
      const { description: known, ...stored } = this.schemas.get(name) ?? { description, ...content }
      if (JSON.stringify(stored) !== JSON.stringify(content)) continue
      if (!this.schemas.has(name))
        this.schemas.set(name, { ...(description !== undefined && { description }), ...content })
      return {
        $ref: `#/components/schemas/${name}`,
        ...(description !== undefined && description !== known && { description }),
        ...(preset !== undefined && { default: preset })
      }
    }
    throw new Error(`two schemas of the document have the name ${named}: ${JSON.stringify(content)}`)
  }

  /**
   * The same schema, where an object has all the fields of named ones: those, and the rest. What a create answers is
   * the resource and `idempotent_replay`. `own`: the name of the schema, which does not consist of itself.
   */
  readonly factor = (node: unknown, own: string | null = null): unknown => {
    if (Array.isArray(node)) return node.map((one) => this.factor(one))
    if (!isJson(node)) return node
    const inner = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, this.factor(value)]))
    if (!isPlainObject(inner)) return inner
    const found = this.#largestIn(inner, own)
    if (found === null) return inner
    const rest = this.factor(this.#without(inner, found.schema), own) as Json
    const ref = { $ref: `#/components/schemas/${found.name}` }
    if (keysOf(rest).length === 0 && rest["allOf"] === undefined && rest["$ref"] === undefined) return ref
    // The named schema says that it is an object.
    const { type: _, ...beside } = rest
    const parts = Array.isArray(rest["allOf"]) ? rest["allOf"] : [beside]
    return { ...(inner["description"] !== undefined && { description: inner["description"] }), allOf: [ref, ...parts] }
  }

  #without({ properties, required, ...rest }: Json, part: Json): Json {
    const taken = new Set(keysOf(part))
    const kept = Object.entries(properties as Json).filter(([key]) => !taken.has(key))
    const still = ((required ?? []) as ReadonlyArray<string>).filter((key) => !taken.has(key))
    return {
      type: rest["type"],
      properties: Object.fromEntries(kept),
      ...(still.length > 0 && { required: still })
    }
  }

  #largestIn(schema: Json, own: string | null): { readonly name: string; readonly schema: Json } | null {
    const properties = (schema["properties"] ?? {}) as Json
    const required = new Set(requiredOf(schema))
    let largest: { readonly name: string; readonly schema: Json } | null = null
    for (const [name, candidate] of this.schemas) {
      if (!isPlainObject(candidate)) continue
      const keys = keysOf(candidate)
      if (name === own || (own !== null && keys.length >= Object.keys(properties).length)) continue
      if ((keys.length < 4 && !PARTS.has(name)) || (largest !== null && keys.length <= keysOf(largest.schema).length))
        continue
      const theirs = candidate["properties"] as Json
      const fits = keys.every(
        (key) =>
          JSON.stringify(properties[key]) === JSON.stringify(theirs[key]) &&
          required.has(key) === requiredOf(candidate).includes(key)
      )
      if (fits) largest = { name, schema: candidate }
    }
    return largest
  }
}
