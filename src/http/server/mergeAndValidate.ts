import * as Effect from "effect/Effect"
import type * as z from "zod"
import { applyMergePatch } from "./schemas/mergePatch.ts"
import { refusalOf } from "./body/refusal.ts"

/**
 * The fields with a merge patch applied, validated as a whole like new ones: a patch must not clear required fields.
 */
export const mergeAndValidate = <S extends z.ZodType>(schema: S, fields: object, patch: object) => {
  const merged = applyMergePatch(fields, patch)
  const parsed = schema.safeParse(merged)
  return parsed.success ? Effect.succeed(parsed.data) : Effect.fail(refusalOf(parsed.error.issues, "body", merged))
}
