import { defineCommand } from "citty"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

const check = defineCommand({
  meta: {
    name: "check",
    description: "Compare the costs of turns with the ledger; prints one line of JSON, and fails if they differ"
  },
  args: {
    app: { type: "string", description: "Check only this app", valueHint: "APP_ID" },
    days: { type: "string", description: "Check the turns of the last N days. Default: 2", valueHint: "N" }
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["app", "days"], 0)
    return (await import("./ledger.ts")).checkLedger({ app: args.app, days: args.days })
  }
})

/** `troupe ledger ...` */
export const ledger = defineCommand({
  meta: { name: "ledger", description: "The ledger of costs" },
  subCommands: { check }
})
