import { defineCommand } from "citty"
import { refuseUnknown } from "./refuseUnknown.ts"

const ofApp = { type: "string", description: "Those of one app; of every app without it", valueHint: "APP_ID" } as const

const hold = defineCommand({
  meta: {
    name: "hold",
    description: "Hold Telegram bots back at once: what people write is kept, nothing is sent; prints one line of JSON"
  },
  args: { app: ofApp, reason: { type: "string", description: "Why, for the apps to read", valueHint: "TEXT" } },
  run: async ({ args }) => {
    refuseUnknown(args, ["app", "reason"], 0)
    return (await import("./telegram.ts")).holdTelegram({ app: args.app, reason: args.reason })
  }
})

const release = defineCommand({
  meta: {
    name: "release",
    description: "Release Telegram bots that were held back: everything goes on where it was; prints one line of JSON"
  },
  args: { app: ofApp },
  run: async ({ args }) => {
    refuseUnknown(args, ["app"], 0)
    return (await import("./telegram.ts")).releaseTelegram({ app: args.app })
  }
})

const holds = defineCommand({
  meta: { name: "holds", description: "What is held back, since when and why; prints one line of JSON" },
  run: async ({ args }) => {
    refuseUnknown(args, [], 0)
    return (await import("./telegram.ts")).listHolds()
  }
})

/** `troupe telegram ...` */
export const telegram = defineCommand({
  meta: { name: "telegram", description: "Telegram bots of all apps" },
  subCommands: { hold, release, holds }
})
