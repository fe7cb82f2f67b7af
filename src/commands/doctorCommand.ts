import { defineCommand } from "citty"
import { refuseUnknown } from "./refuseUnknown.ts"

export const doctor = defineCommand({
  meta: {
    name: "doctor",
    description: "Check what a server needs, with its settings. Exit code 0: nothing is wrong, 1: something"
  },
  args: {
    json: { type: "boolean", description: "Print one JSON object" },
    webhook: { type: "string", description: "Also try to reach this receiver of webhooks", valueHint: "URL" }
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["json", "webhook"], 0)
    return (await import("./doctor.ts")).examine({ json: args.json === true, webhook: args.webhook })
  }
})
