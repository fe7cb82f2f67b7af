import type { Json } from "./components.ts"

const FIELDS = "schema_version,data,next_actions"
const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })
/** Beside an envelope, which says that it is an object. */
const withData = (data: Json) => ({ properties: { data }, required: ["data"] })
const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null

/** What the envelope of any answer has besides its data, and that of answers to requests with a body. */
export const envelopeSchemas: Json = {
  Envelope: {
    type: "object",
    properties: {
      schema_version: { type: "string" },
      next_actions: { type: "array", items: refTo("NextAction") }
    },
    required: ["schema_version", "next_actions"]
  },
  WrittenEnvelope: { allOf: [refTo("Envelope"), withData(refTo("Written"))] },
  CreatedEnvelope: { allOf: [refTo("Envelope"), withData(refTo("Created"))] }
}

/** What the data has besides the marks of a write, and the envelope with these marks. */
const split = (data: Json): readonly [envelope: string, data: Json] => {
  const parts = (data["allOf"] ?? []) as ReadonlyArray<Json>
  for (const mark of ["Written", "Created"]) {
    const rest = parts.filter(({ $ref }) => $ref !== refTo(mark).$ref)
    if (rest.length === parts.length) continue
    const { allOf: _, ...beside } = data
    return [`${mark}Envelope`, rest.length === 1 ? { ...rest[0], ...beside } : { ...data, allOf: rest }]
  }
  return ["Envelope", data]
}

/** The schema of an answer as one of the envelopes with its data. */
export const inEnvelope = (schema: Json): Json => {
  const { properties } = schema
  if (!isJson(properties) || Object.keys(properties).join() !== FIELDS) return schema
  const [envelope, data] = split(properties["data"] as Json)
  return { allOf: [refTo(envelope), withData(data)] }
}
