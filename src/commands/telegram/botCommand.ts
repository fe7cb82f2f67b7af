import { defineCommand } from "citty"
import { botActionArgs, botListArgs, flagNames } from "#src/commands/terminal/fleetArgs.ts"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

const list = defineCommand({
  meta: { name: "list", description: "List the Telegram bots of every app, the worst first" },
  args: botListArgs,
  run: async ({ args }) => {
    refuseUnknown(args, flagNames(botListArgs), 0)
    return (await import("./bots.ts")).listBots(args)
  }
})

const action = (name: string, does: string, act: string) =>
  defineCommand({
    meta: { name, description: `${does} one bot, or all bots that match the flags` },
    args: botActionArgs,
    run: async ({ args }) => {
      refuseUnknown(args, flagNames(botActionArgs), 1)
      return (await import("./bots.ts")).actOnBots(act, args)
    }
  })

/** `troupe bot ...` */
export const bot = defineCommand({
  meta: { name: "bot", description: "Telegram bots of every app. Needs TROUPE_OPERATOR_TOKEN or ADMIN_TOKEN" },
  subCommands: {
    list,
    suspend: action("suspend", "Suspend", "suspend"),
    resume: action("resume", "Resume", "resume"),
    probe: action("probe", "Check with Telegram", "probe"),
    rotate: action("rotate", "Rotate the webhook secret of", "rotate_secret")
  }
})
