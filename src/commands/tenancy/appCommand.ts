import { defineCommand } from "citty"
import { camelCased } from "#src/commands/terminal/camelCased.ts"
import { operatorArgs, operatorFlags } from "#src/commands/terminal/operatorArgs.ts"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

const appId = { type: "positional", required: true, description: "Id of the app (app_...)" } as const

const appCreate = defineCommand({
  meta: { name: "create", description: "Create an app with its first runtime key; prints one line of JSON" },
  args: {
    name: { type: "positional", required: true, description: "Name of the app" },
    "budget-usd": { type: "string", description: "Monthly budget in US dollars. Default: no budget", valueHint: "N" }
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["name", "budget-usd", "budgetUsd"], 1)
    return (await import("./app.ts")).createApp({ name: args.name, budgetUsd: args["budget-usd"] })
  }
})

const appList = defineCommand({
  meta: { name: "list", description: "List the apps of every account; prints one line of JSON" },
  run: async ({ args }) => {
    refuseUnknown(args, [], 0)
    return (await import("./app.ts")).listApps()
  }
})

const appShow = defineCommand({
  meta: { name: "show", description: "Show an app; prints one line of JSON" },
  args: { appId },
  run: async ({ args }) => {
    refuseUnknown(args, ["appId", "app-id"], 1)
    return (await import("./app.ts")).showApp({ appId: args.appId })
  }
})

const appRename = defineCommand({
  meta: { name: "rename", description: "Rename an app; prints one line of JSON" },
  args: { appId, name: { type: "positional", required: true, description: "New name" } },
  run: async ({ args }) => {
    refuseUnknown(args, ["appId", "app-id", "name"], 2)
    return (await import("./app.ts")).renameApp({ appId: args.appId, name: args.name })
  }
})

const appSuspend = defineCommand({
  meta: {
    name: "suspend",
    description:
      "Suspend an app at once: its keys are refused and nothing is sent, but nothing is lost. Over HTTP with --url " +
      "or TROUPE_OPERATOR_TOKEN, or else on the database"
  },
  args: {
    appId,
    reason: { type: "string", description: "Reason, shown to the app", valueHint: "TEXT" },
    ...operatorArgs
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["appId", "app-id", "reason", ...operatorFlags], 1)
    return (await import("./appSuspension.ts")).suspendApp(args)
  }
})

const appResume = defineCommand({
  meta: {
    name: "resume",
    description:
      "Resume a suspended app: everything continues where it stopped. Over HTTP with --url or TROUPE_OPERATOR_TOKEN, " +
      "or else on the database"
  },
  args: { appId, ...operatorArgs },
  run: async ({ args }) => {
    refuseUnknown(args, ["appId", "app-id", ...operatorFlags], 1)
    return (await import("./appSuspension.ts")).resumeApp(args)
  }
})

const appMove = defineCommand({
  meta: {
    name: "move",
    description:
      "Move an app to another cell, whose database is TARGET_DATABASE_URL. It pauses meanwhile, and nothing is lost. " +
      "If it was interrupted, run it again. Prints one line of JSON"
  },
  args: {
    appId,
    to: { type: "string", required: true, description: "Code of the new cell: its CELL", valueHint: "CELL" },
    map: { type: "string", description: "Map of the proxy, to write the keys of the app to", valueHint: "FILE" },
    cancel: { type: "boolean", description: "Cancel a move that was interrupted: the app goes on in the old cell" }
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["appId", "app-id", "to", "map", "cancel"], 1)
    return (await import("./appMove.ts")).moveAppTo(args)
  }
})

const appUsage = defineCommand({
  meta: {
    name: "usage",
    description: "Show what an app has spent, over HTTP. Needs TROUPE_OPERATOR_TOKEN or ADMIN_TOKEN"
  },
  args: {
    appId,
    by: { type: "string", description: "day (default), kind or model", valueHint: "GROUP" },
    from: { type: "string", description: "First day. Default: 30 days ago", valueHint: "YYYY-MM-DD" },
    to: { type: "string", description: "Last day. Default: today", valueHint: "YYYY-MM-DD" },
    ...operatorArgs
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["appId", "app-id", "by", "from", "to", ...operatorFlags], 1)
    return (await import("./appUsage.ts")).showUsage(args)
  }
})

const capsFlags = {
  "daily-budget-usd": {
    type: "string",
    description: "Budget of the app for a day (UTC) in US dollars",
    valueHint: "N|none"
  },
  "monthly-budget-usd": { type: "string", description: "The same for a month", valueHint: "N|none" },
  "hard-stop": { type: "string", description: "Whether to refuse sends beyond the budget", valueHint: "true|false" },
  "end-user-daily-messages": {
    type: "string",
    description: "Messages per day for each end-user who has no caps of their own",
    valueHint: "N|none"
  },
  "end-user-daily-usd": {
    type: "string",
    description: "Cost per day for each such end-user in US dollars",
    valueHint: "N|none"
  },
  "end-user-monthly-usd": { type: "string", description: "The same for a month", valueHint: "N|none" },
  "end-user-daily-images": {
    type: "string",
    description: "Images per day for each such end-user",
    valueHint: "N|none"
  },
  "messages-per-minute": {
    type: "string",
    description: "Messages per minute over HTTP. none: the server's limit",
    valueHint: "N|none"
  }
} as const
const capsFlagNames = Object.keys(capsFlags).flatMap((name) => [name, camelCased(name)])

const appCaps = defineCommand({
  meta: {
    name: "caps",
    description: "Set the given budgets and caps of an app, then show all of them; prints one line of JSON"
  },
  args: { appId, ...capsFlags },
  run: async ({ args }) => {
    refuseUnknown(args, ["appId", "app-id", ...capsFlagNames], 1)
    return (await import("./appCaps.ts")).appCaps({ appId: args.appId, flags: args })
  }
})

/** `troupe app ...` */
export const app = defineCommand({
  meta: { name: "app", description: "Apps, the tenants of this server" },
  subCommands: {
    create: appCreate,
    list: appList,
    show: appShow,
    caps: appCaps,
    rename: appRename,
    suspend: appSuspend,
    resume: appResume,
    move: appMove,
    usage: appUsage
  }
})
