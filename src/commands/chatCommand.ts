import { defineCommand } from "citty"
import { clientArgs, clientFlags } from "./clientArgs.ts"
import { refuseUnknown } from "./refuseUnknown.ts"

export const chat = defineCommand({
  meta: { name: "chat", description: "Talk to a character; a conversation goes on where it was left" },
  args: {
    character: { type: "positional", required: true, description: "Slug of the character" },
    session: { type: "string", description: "This conversation instead of your own", valueHint: "ses_..." },
    mode: { type: "string", default: "fast", description: "How replies are made", valueHint: "fast|deep" },
    new: { type: "boolean", description: "Begin a new conversation" },
    ...clientArgs
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["character", "session", "mode", "new", ...clientFlags], 1)
    return (await import("./chat.ts")).chat({ ...args, fresh: args.new === true, json: args.json === true })
  }
})
