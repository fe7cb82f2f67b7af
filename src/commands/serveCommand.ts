import { defineCommand } from "citty"
import { refuseUnknown } from "./refuseUnknown.ts"

export const serve = defineCommand({
  meta: { name: "serve", description: "Run the server, in the roles of ROLES" },
  run: async ({ args }) => {
    refuseUnknown(args, [], 0)
    return (await import("./serve.ts")).serve()
  }
})
