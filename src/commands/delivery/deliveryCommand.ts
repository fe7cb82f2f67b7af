import { defineCommand } from "citty"
import { deliveryListArgs, deliveryRetryArgs, flagNames } from "#src/commands/terminal/fleetArgs.ts"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

const list = defineCommand({
  meta: { name: "list", description: "List failed delivery attempts of every app, newest first" },
  args: deliveryListArgs,
  run: async ({ args }) => {
    refuseUnknown(args, flagNames(deliveryListArgs), 0)
    return (await import("./deliveries.ts")).listDeliveries(args)
  }
})

const retry = defineCommand({
  meta: { name: "retry", description: "Repeat one delivery, or all that match the flags and have not arrived" },
  args: deliveryRetryArgs,
  run: async ({ args }) => {
    refuseUnknown(args, flagNames(deliveryRetryArgs), 1)
    return (await import("./deliveries.ts")).retryDeliveries(args)
  }
})

/** `troupe delivery ...` */
export const delivery = defineCommand({
  meta: { name: "delivery", description: "Deliveries of every app. Needs TROUPE_OPERATOR_TOKEN or ADMIN_TOKEN" },
  subCommands: { list, retry }
})
