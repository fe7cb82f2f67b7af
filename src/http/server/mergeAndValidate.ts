import * as Effect from "effect/Effect"
import type * as z from "zod"
import { validationError } from "./errors.ts"
import { applyMergePatch } from "./schemas/mergePatch.ts"
import { quoteIssues } from "./body/validation.ts"

/**
 * The fields with a merge patch applied, validated as a whole like new ones: a patch must not clear required fields.
 */
export const mergeAndValidate = <S extends z.ZodType>(schema: S, fields: object, patch: object) => {
  const parsed = schema.safeParse(applyMergePatch(fields, patch))
  return parsed.success
    ? Effect.succeed(parsed.data)
    : Effect.fail(validationError(quoteIssues(parsed.error.issues, "body")))
}
