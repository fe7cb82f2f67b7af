import { defineCommand } from "citty"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

export const doctor = defineCommand({
  meta: {
    name: "doctor",
    description: "Check whether a server can run with these settings. Exit code 0: nothing is wrong, 1: something is"
  },
  args: {
    json: { type: "boolean", description: "Print one JSON object" },
    webhook: {
      type: "string",
      description: "Also check whether this webhook receiver can be reached",
      valueHint: "URL"
    }
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["json", "webhook"], 0)
    return (await import("./doctor.ts")).examine({ json: args.json === true, webhook: args.webhook })
  }
})
