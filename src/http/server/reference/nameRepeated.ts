import type { Json } from "./components.ts"
import { pascal } from "./pascal.ts"

/** How many characters a name must save. */
const WORTH = 100
const lengthOfRef = (name: string): number => `{"$ref":"#/components/schemas/${name}"}`.length

/** `name`: what a field would be called as a schema of its own. */
type Visit = (schema: Json, name: string) => unknown

/** Replaces the value of each property, and of each array, with what `visit` makes of it. */
const mapFields = (node: unknown, name: string, visit: Visit): unknown => {
  if (Array.isArray(node)) return node.map((one) => mapFields(one, name, visit))
  if (typeof node !== "object" || node === null) return node
  return Object.fromEntries(
    Object.entries(node as Json).map(([key, value]) => {
      if (key === "example" || key === "examples" || key === "default") return [key, value]
      if (key === "items") return [key, visit(value as Json, `${name}Item`)]
      if (key !== "properties") return [key, mapFields(value, name, visit)]
      const fields = Object.entries(value as Json)
      return [key, Object.fromEntries(fields.map(([field, one]) => [field, mapField(one as Json, name, field, visit)]))]
    })
  )
}

/** What the envelope of an answer contains is no field of anything. */
const mapField = (schema: Json, name: string, field: string, visit: Visit): unknown =>
  field === "data" ? mapFields(schema, name, visit) : visit(schema, name + pascal(field))

type NamedNode = readonly [name: string, node: unknown]

/** The fields for which a schema with a name saves space, as JSON. What is inside of one counts once. */
const repeatedIn = (parts: ReadonlyArray<NamedNode>): ReadonlySet<string> => {
  const found = new Map<string, { readonly name: string; readonly count: number }>()
  const visit: Visit = (schema, name) => {
    const text = JSON.stringify(schema)
    const before = found.get(text)
    found.set(text, { name: before?.name ?? name, count: (before?.count ?? 0) + 1 })
    return before === undefined ? mapFields(schema, name, visit) : schema
  }
  for (const [name, part] of parts) mapFields(part, name, visit)
  const saves = ([text, { name, count }]: readonly [string, { readonly name: string; readonly count: number }]) =>
    (count - 1) * text.length - count * lengthOfRef(name) > WORTH
  return new Set([...found].filter(saves).map(([text]) => text))
}

/**
 * The schemas and operations, with a reference for each schema that several fields have. It is named after the first of
 * them: `next_step` of `Problem` is `ProblemNextStep`.
 */
export const nameRepeated = <Operation extends Json>(
  schemas: Json,
  operations: Readonly<Record<string, Operation>>
): { readonly schemas: Json; readonly operations: Readonly<Record<string, Operation>> } => {
  const nameOf = (operation: Operation) => pascal(String(operation["operationId"]))
  const repeated = repeatedIn([
    ...Object.entries(schemas),
    ...Object.values(operations).map((operation) => [nameOf(operation), operation] as const)
  ])
  const names = new Map<string, string>()
  const added: Record<string, unknown> = {}
  const visit: Visit = (schema, name) => {
    const text = JSON.stringify(schema)
    if (!repeated.has(text)) return mapFields(schema, name, visit)
    if (!names.has(text)) {
      names.set(text, name)
      added[name] = mapFields(schema, name, visit)
    }
    return { $ref: `#/components/schemas/${names.get(text) ?? ""}` }
  }
  const named = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, mapFields(schema, name, visit)])
  )
  const referring = Object.fromEntries(
    Object.entries(operations).map(([key, operation]) => [
      key,
      mapFields(operation, nameOf(operation), visit) as Operation
    ])
  )
  return { schemas: { ...named, ...added }, operations: referring }
}
