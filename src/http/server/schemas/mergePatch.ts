import * as z from "zod"

/** What RFC 7396 may say about a T: every member may be omitted or cleared, and an array is replaced as a whole. */
export type MergePatch<T> =
  T extends ReadonlyArray<unknown> ? T : T extends object ? { [K in keyof T]?: MergePatch<T[K]> | null | undefined } : T

type MergePatchShape<Shape extends z.ZodRawShape> = {
  [K in keyof Shape]: z.ZodOptional<z.ZodNullable<z.ZodType<MergePatch<NonNullable<z.output<Shape[K]>>>>>>
}

const described = <S extends z.ZodType>(patch: S, original: z.core.$ZodType): S => {
  const description = z.globalRegistry.get(original)?.description
  return description === undefined ? patch : patch.meta({ description })
}

const patchOf = (schema: z.core.$ZodType): z.core.$ZodType => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return patchOf(schema.unwrap())
  if (schema instanceof z.ZodObject) return patchObject(schema)
  if (schema instanceof z.ZodUnion) return described(z.union(schema.options.map(patchOf)), schema)
  if (schema instanceof z.ZodRecord)
    return described(z.record(schema.keyType, z.nullable(patchOf(schema.valueType))), schema)
  return schema
}

const patchObject = (schema: z.ZodObject): z.ZodObject => {
  const members = Object.entries(schema.shape).map(([key, member]) => {
    const patch = z.optional(z.nullable(patchOf(member)))
    return [key, described(patch, member)]
  })
  return described(z.object(Object.fromEntries(members)), schema)
}

/**
 * The PATCH body for what `schema` describes. It has no checks across fields, because they apply to the merged result,
 * so the caller parses that with `schema` again.
 */
export const mergePatchOf = <Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>
): z.ZodObject<MergePatchShape<Shape>> =>
  // The compiler cannot follow members that are built in a loop.
  patchObject(schema) as z.ZodObject<MergePatchShape<Shape>>

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const entriesOf = (value: unknown): ReadonlyArray<[string, unknown]> =>
  isObject(value) ? Object.entries(value).filter(([key]) => key !== "__proto__") : []

/** RFC 7396, except that `__proto__` is dropped, because such a key becomes a prototype when it is assigned. */
export const applyMergePatch = (target: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch
  const merged = new Map(entriesOf(target))
  for (const [key, value] of entriesOf(patch)) {
    if (value === null) merged.delete(key)
    else if (value !== undefined) merged.set(key, applyMergePatch(merged.get(key), value))
  }
  return Object.fromEntries(merged)
}
