import type { McpServer } from "@modelcontextprotocol/server"
import * as z from "zod"
import type { Api } from "./Api.ts"
import { characterUri, readSheet } from "./resources.ts"
import { name } from "./tool.ts"

const REVIEW = `Review this character before people talk to it. Judge it as an experienced author of chat characters.

1. Voice: do the voice samples and the example dialogues sound like one person, and like nobody else? Quote the \
weakest one, and rewrite it.
2. Gaps: which questions will people ask in the first ten messages that nothing in the sheet answers?
3. Contradictions between the fields. Quote both places.
4. Instructions to a model instead of facts about the person, and phrases of an assistant.
5. Conduct: does it say what the character does not do, and when it leaves?

Then list at most five changes, the most useful first, each with the field and the new text. Change nothing yourself.`

/** The prompt with which a person has a model review a character. */
export const registerPrompts = (server: McpServer, api: Api): void => {
  server.registerPrompt(
    "review_card",
    {
      title: "Review a card",
      description: "Review a character's sheet: voice, gaps, contradictions, and the changes that help most",
      argsSchema: z.object({ slug: name("The character's slug") })
    },
    async ({ slug }, { mcpReq: { signal } }) => ({
      messages: [
        { role: "user", content: { type: "text", text: REVIEW } },
        {
          role: "user",
          content: {
            type: "resource",
            resource: {
              uri: characterUri(slug),
              mimeType: "application/json",
              text: await readSheet(api, slug, signal)
            }
          }
        }
      ]
    })
  )
}
