import * as Schema from "effect/Schema"
import * as z from "zod"

/** The fields of a Schema of the domain as fields of a request or an answer, with its checks and descriptions. */
export const fieldsOf = (schema: Schema.Struct<Schema.Struct.Fields>): Readonly<Record<string, z.ZodType>> => {
  const fields = z.fromJSONSchema(Schema.toJsonSchemaDocument(schema).schema as z.core.JSONSchema.JSONSchema)
  if (!(fields instanceof z.ZodObject)) throw new Error("the Schema is not one of an object")
  return fields.shape
}
