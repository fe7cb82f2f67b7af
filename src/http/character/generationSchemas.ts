import * as z from "zod"

/** How a model samples the text of one character. Missing options use the operator's settings. */
export const generation = z
  .object({
    temperature: z.number().min(0).max(1.5).optional(),
    max_tokens: z.int().min(64).max(4_000).optional().describe("At most the operator's OPENAI_MAX_TOKENS"),
    frequency_penalty: z.number().min(-1).max(1).optional(),
    presence_penalty: z.number().min(-1).max(1).optional()
  })
  .meta({
    description:
      "Sampling parameters for the model. They override the operator's settings. The offline engine ignores them"
  })
