import { defineCommand } from "citty"
import { refuseUnknown } from "./refuseUnknown.ts"

const check = defineCommand({
  meta: {
    name: "check",
    description:
      "Compare what turns have cost with what the ledger says; prints one line of JSON, and fails where they differ"
  },
  args: {
    app: { type: "string", description: "One app alone", valueHint: "APP_ID" },
    days: { type: "string", description: "Turns of the last N days; 2 without it", valueHint: "N" }
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["app", "days"], 0)
    return (await import("./ledger.ts")).checkLedger({ app: args.app, days: args.days })
  }
})

/** `troupe ledger ...` */
export const ledger = defineCommand({
  meta: { name: "ledger", description: "The books of what was spent" },
  subCommands: { check }
})
