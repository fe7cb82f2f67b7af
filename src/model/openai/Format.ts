import { toCodecOpenAI } from "effect/ai/OpenAiStructuredOutput"
import type * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { JsonMode } from "./jsonModes.ts"

/** A structured answer that can be asked for: what is sent as its schema, and how what comes back is read. */
export interface Format<A> {
  readonly name: string
  readonly jsonSchema: JsonSchema.JsonSchema
  /** What the schema adds to a prompt. */
  readonly schemaBytes: number
  /** The value, or what is wrong with it. */
  readonly decode: (value: unknown) => Result.Result<A, string>
  /**
   * What plain text stands for, where plain text was asked for; null: a JSON object was asked for, and text without one
   * is no answer.
   */
  readonly fromPlainText: ((text: string) => A) | null
}

export const formatOf = <A>(
  name: string,
  schema: Schema.Codec<A, unknown>,
  fromPlainText: Format<A>["fromPlainText"] = null
): Format<A> => {
  const { codec, jsonSchema } = toCodecOpenAI(schema)
  const decode = Schema.decodeUnknownResult(codec)
  return {
    name,
    jsonSchema,
    schemaBytes: Buffer.byteLength(JSON.stringify(jsonSchema)),
    decode: (value) => Result.mapError(decode(value), (error) => error.message),
    fromPlainText
  }
}

/**
 * How the structure is asked for, from what binds a server most to what every server has. In the last two the prompt
 * alone describes it.
 */
export const RUNGS = ["strict_schema", "json_schema", "json_object", "text"] as const
export type Rung = (typeof RUNGS)[number]

/** The rungs that a mode may take. */
export const RUNGS_OF: Readonly<Record<JsonMode, ReadonlyArray<Rung>>> = {
  auto: RUNGS,
  schema: ["strict_schema", "json_schema"],
  object: ["json_object"],
  none: ["text"]
}

export const responseFormat = ({ name, jsonSchema }: Format<unknown>, rung: Rung) => {
  switch (rung) {
    case "strict_schema":
      return {
        response_format: { type: "json_schema" as const, json_schema: { name, strict: true, schema: jsonSchema } }
      }
    case "json_schema":
      return { response_format: { type: "json_schema" as const, json_schema: { name, schema: jsonSchema } } }
    case "json_object":
      return { response_format: { type: "json_object" as const } }
    case "text":
      return {}
  }
}
