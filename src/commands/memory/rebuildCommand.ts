import { defineCommand } from "citty"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

export const rebuild = defineCommand({
  meta: {
    name: "rebuild",
    description:
      "Rebuild what a character remembers and feels in a session from the log of changes; prints one line of JSON"
  },
  args: { session: { type: "positional", required: true, description: "Id of the session (ses_...)" } },
  run: async ({ args }) => {
    refuseUnknown(args, ["session"], 1)
    return (await import("./rebuild.ts")).rebuild(args)
  }
})
