import { defineCommand } from "citty"
import { operatorArgs, operatorFlags } from "#src/commands/terminal/operatorArgs.ts"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

/** `troupe status` */
export const status = defineCommand({
  meta: {
    name: "status",
    description:
      "Show what is wrong with the server. Exit code 0: nothing is wrong, 1: something is. " +
      "From another machine, it needs TROUPE_OPERATOR_TOKEN or ADMIN_TOKEN"
  },
  args: operatorArgs,
  run: async ({ args }) => {
    refuseUnknown(args, operatorFlags, 0)
    return (await import("./status.ts")).showStatus({ url: args.url, json: args.json === true })
  }
})

/** `troupe top` */
export const top = defineCommand({
  meta: {
    name: "top",
    description:
      "Show the server's figures, problems and processes until Ctrl-C. From another machine, it needs " +
      "TROUPE_OPERATOR_TOKEN or ADMIN_TOKEN"
  },
  args: {
    once: { type: "boolean", description: "Show the screen once and exit" },
    every: { type: "string", description: "Seconds between two refreshes. Default: 2", valueHint: "N" },
    ...operatorArgs
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["once", "every", ...operatorFlags], 0)
    return (await import("./top.ts")).showTop({
      url: args.url,
      every: args.every,
      json: args.json === true,
      once: args.once === true
    })
  }
})
