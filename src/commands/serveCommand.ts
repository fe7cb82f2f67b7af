import { defineCommand } from "citty"
import { refuseUnknown } from "./refuseUnknown.ts"

export const serve = defineCommand({
  meta: { name: "serve", description: "Serve the API and run replies, in the roles that ROLES names" },
  run: async ({ args }) => {
    refuseUnknown(args, [], 0)
    return (await import("./serve.ts")).serve()
  }
})
