import { defineCommand } from "citty"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

const ofApp = {
  type: "string",
  description: "Only the bots of this app. Default: the bots of every app",
  valueHint: "APP_ID"
} as const

const hold = defineCommand({
  meta: {
    name: "hold",
    description: "Stop Telegram bots at once: messages from people are kept, nothing is sent; prints one line of JSON"
  },
  args: { app: ofApp, reason: { type: "string", description: "Reason, shown to the apps", valueHint: "TEXT" } },
  run: async ({ args }) => {
    refuseUnknown(args, ["app", "reason"], 0)
    return (await import("./telegram.ts")).suspendTelegram({ app: args.app, reason: args.reason })
  }
})

const release = defineCommand({
  meta: {
    name: "release",
    description: "Release held Telegram bots: everything continues where it stopped; prints one line of JSON"
  },
  args: { app: ofApp },
  run: async ({ args }) => {
    refuseUnknown(args, ["app"], 0)
    return (await import("./telegram.ts")).resumeTelegram({ app: args.app })
  }
})

const holds = defineCommand({
  meta: { name: "holds", description: "List the holds, with their start and reason; prints one line of JSON" },
  run: async ({ args }) => {
    refuseUnknown(args, [], 0)
    return (await import("./telegram.ts")).listTelegramSuspensions()
  }
})

/** `troupe telegram ...` */
export const telegram = defineCommand({
  meta: { name: "telegram", description: "Emergency stop of Telegram bots" },
  subCommands: { hold, release, holds }
})
