import * as z from "zod"

export const SandboxData = z.object({
  api_key: z.string().describe("The demo key, shown only once"),
  app_id: z.string(),
  expires_at: z.iso.datetime(),
  limits: z.object({
    characters: z.int().describe("Characters that can be created"),
    sessions: z.int(),
    messages: z.int().describe("User messages in total"),
    message_characters: z.int().describe("Maximum length of a message, in code points"),
    credit_usd: z.number().describe("Total credit for replies")
  }),
  character_slugs: z.array(z.string()).describe("Sample characters of the app")
})
