import * as z from "zod"
import { created } from "#src/http/server/schemas/answers.ts"
import { text } from "#src/http/server/schemas/text.ts"

/** Maximum length of a message. */
export const MAX_CHARACTERS = 32_000

export const MessageSend = z
  .object({
    text: text(1, MAX_CHARACTERS).meta({
      description: "At most 2,000 characters with a demo key",
      examples: ["What do you do all day?"]
    }),
    reply_mode: z
      .enum(["fast", "deep"])
      .default("fast")
      .meta({ examples: ["fast"] })
  })
  .meta({ title: "Message", description: "A message of the end-user" })

/** Contract 2.4. */
export const AcceptData = z
  .object({
    accepted: z.literal(true),
    cursor: z.int().describe("Cursor of the user's own message.created"),
    sent_turn_index: z.int(),
    run_ref: z.string(),
    reply_mode: z.enum(["fast", "deep"]),
    ...created
  })
  .meta({ title: "MessageAccepted" })
