import { toCodecOpenAI } from "effect/ai/OpenAiStructuredOutput"
import type * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { JsonMode } from "./jsonModes.ts"

/** A structured answer: the schema to send, and how to read what comes back. */
export interface Format<A> {
  readonly name: string
  readonly jsonSchema: JsonSchema.JsonSchema
  /** How many bytes the schema adds to a prompt. */
  readonly schemaBytes: number
  /** The value, or what is wrong with it. */
  readonly decode: (value: unknown) => Result.Result<A, string>
  /**
   * Converts a plain-text answer, if plain text was requested. Null: a JSON object was requested, and text without one
   * is not an answer.
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
 * Ways to request structure, from the strictest to the most widely supported. In the last two, only the prompt
 * describes it.
 */
export const RUNGS = ["strict_schema", "json_schema", "json_object", "text"] as const
export type Rung = (typeof RUNGS)[number]

/** The rungs that each mode may use. */
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
