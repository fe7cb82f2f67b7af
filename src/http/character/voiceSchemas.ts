import * as z from "zod"
import { languageTag } from "#src/http/server/schemas/locale.ts"
import { wholeBetween } from "#src/http/server/schemas/number.ts"
import { text, texts } from "#src/http/server/schemas/text.ts"

export const voice = z
  .object({
    register: z
      .enum(["casual", "neutral", "formal", "poetic", "blunt"])
      .optional()
      .meta({ description: "Default neutral" }),
    sentence_length: z.enum(["short", "medium", "long"]).optional().meta({ description: "Default medium" }),
    emoji: z.enum(["none", "rare", "often"]).optional().meta({ description: "Default rare" }),
    languages: z.array(languageTag()).max(5).optional(),
    signature_phrases: texts(10, 80).optional(),
    max_bubbles: wholeBetween(1, 6).optional().meta({ description: "Maximum bubbles per reply. Default 3" }),
    max_bubble_chars: wholeBetween(20, 1000)
      .optional()
      .meta({ description: "Maximum characters per bubble. Default 320" }),
    narration: z.enum(["none", "asterisk"]).optional().meta({ description: "Default none" })
  })
  .meta({ description: "How the character writes" })

const voiceSample = z.object({
  text: text(1, 600),
  situation: text(0, 120).optional()
})

export const voiceSamples = z
  .array(voiceSample)
  .max(40)
  .meta({ examples: [[{ text: "Mm. The kettle first, then your troubles.", situation: "a guest arrives upset" }]] })
