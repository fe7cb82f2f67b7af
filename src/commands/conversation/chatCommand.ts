import { defineCommand } from "citty"
import { clientArgs, clientFlags } from "#src/commands/terminal/clientArgs.ts"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

export const chat = defineCommand({
  meta: { name: "chat", description: "Talk to a character, and continue the last conversation with it" },
  args: {
    character: { type: "positional", required: true, description: "Slug of the character" },
    session: { type: "string", description: "Id of another conversation to continue", valueHint: "ses_..." },
    mode: { type: "string", default: "fast", description: "Reply mode", valueHint: "fast|deep" },
    new: { type: "boolean", description: "Start a new conversation" },
    ...clientArgs
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["character", "session", "mode", "new", ...clientFlags], 1)
    return (await import("./chat.ts")).chat({ ...args, fresh: args.new === true, json: args.json === true })
  }
})
