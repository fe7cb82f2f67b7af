import { defineCommand } from "citty"
import { clientArgs } from "#src/commands/terminal/clientArgs.ts"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

const importFile = defineCommand({
  meta: {
    name: "import",
    description: "Open a session with the history of a chat from another program; prints one line of JSON"
  },
  args: {
    file: { type: "positional", required: true, description: "A SillyTavern chat (JSONL)" },
    character: { type: "string", required: true, description: "Slug of the character", valueHint: "SLUG" },
    user: {
      type: "string",
      required: true,
      description: "Your id for the person (external_user_ref)",
      valueHint: "REF"
    },
    url: clientArgs.url,
    key: clientArgs.key
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["file", "character", "user", "url", "key"], 1)
    return (await import("./sessionImport.ts")).importSession(args)
  }
})

/** `troupe session ...` */
export const session = defineCommand({
  meta: { name: "session", description: "Import of conversations" },
  subCommands: { import: importFile }
})
