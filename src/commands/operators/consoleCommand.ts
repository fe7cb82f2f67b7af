import { defineCommand } from "citty"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

/** `troupe console` */
export const consoleLink = defineCommand({
  meta: {
    name: "console",
    description: "Print a link that signs you in to the console as an owner, once, within five minutes"
  },
  run: async ({ args }) => {
    refuseUnknown(args, [], 0)
    return (await import("./console.ts")).printConsoleLink()
  }
})
