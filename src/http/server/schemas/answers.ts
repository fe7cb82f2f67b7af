import * as z from "zod"

/** Schemas of answers, for the OpenAPI document and the contract tests. Answers are not validated at runtime. */

export const NextAction = z.object({ command: z.string(), description: z.string() }).meta({ title: "NextAction" })

/** The envelope of a success. */
export const withData = (data: z.ZodType) =>
  z.object({ schema_version: z.string(), data, next_actions: z.array(NextAction) })

/** The codes of the errors that a route declares. Fastify does not see them. */
export const ERROR_CODES = Symbol("error codes")

type Answer =
  | z.ZodType<unknown>
  | { readonly description: string; readonly content: Record<string, { readonly schema: z.ZodType<unknown> }> }
export type Answers = Record<number, Answer> & { readonly [ERROR_CODES]?: ReadonlyArray<string> }

/**
 * The answers of a route: its data in the envelope, and the codes of the errors that are its own. Those that follow
 * from its credential, body and cost are added by the document (`reference/errorCodes.ts`).
 */
export const answers = (data: z.ZodType, ...codes: ReadonlyArray<string>): Answers =>
  answersAs("application/json", withData(data), ...codes)

/** The answers of a route without an envelope. */
export const answersAs = (mediaType: string, success: z.ZodType, ...codes: ReadonlyArray<string>): Answers => ({
  200: { description: "Success", content: { [mediaType]: { schema: success } } },
  [ERROR_CODES]: codes
})

/** What the answer to any request with a body may contain besides the resource. */
export const written = {
  ignored_fields: z.array(z.string()).optional().describe("Fields of the body that were ignored, such as typos"),
  did_you_mean: z
    .record(z.string(), z.string())
    .optional()
    .describe("The fields that were probably meant, by the ignored ones")
}
/** The same for a create, which accepts an Idempotency-Key. */
export const created = {
  ...written,
  idempotent_replay: z
    .literal(true)
    .optional()
    .describe("true: the repeated response to an earlier request with the same Idempotency-Key")
}

export const Written = z.object(written)
export const Created = z.object(created)
