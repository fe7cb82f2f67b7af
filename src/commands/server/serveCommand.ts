import { defineCommand } from "citty"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

export const serve = defineCommand({
  meta: { name: "serve", description: "Run the server, with the roles in ROLES" },
  run: async ({ args }) => {
    refuseUnknown(args, [], 0)
    return (await import("./serve.ts")).serve()
  }
})
