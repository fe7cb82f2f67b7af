import * as z from "zod"

export const SandboxData = z.object({
  api_key: z.string().describe("The demo key, shown this once"),
  app_id: z.string(),
  expires_at: z.iso.datetime(),
  limits: z.object({
    characters: z.int().describe("That may be created"),
    sessions: z.int(),
    messages: z.int().describe("Of users, in all"),
    message_characters: z.int().describe("Of one message, as code points"),
    credit_usd: z.number().describe("What replies may cost in all")
  }),
  character_slugs: z.array(z.string()).describe("Characters that are there already")
})
