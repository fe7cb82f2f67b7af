import type * as z from "zod"

/**
 * The option of a check across the fields of an object that also runs if single fields are wrong, so that an answer
 * names everything at once. Without it, such a check waits until they are right. It must not trust their types.
 */
export const acrossFields: z.core.$ZodSuperRefineParams = {
  when: ({ value }) => typeof value === "object" && value !== null && !Array.isArray(value)
}
