import { defineCommand } from "citty"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

const appId = { type: "positional", required: true, description: "Id of the app (app_...)" } as const

const list = defineCommand({
  meta: {
    name: "list",
    description: "List the keys of an app by prefix, with their last use; prints one line of JSON"
  },
  args: { appId },
  run: async ({ args }) => {
    refuseUnknown(args, ["appId", "app-id"], 1)
    return (await import("./key.ts")).listKeys({ appId: args.appId })
  }
})

const create = defineCommand({
  meta: { name: "create", description: "Create another runtime key for an app; prints one line of JSON" },
  args: { appId },
  run: async ({ args }) => {
    refuseUnknown(args, ["appId", "app-id"], 1)
    return (await import("./key.ts")).createKey({ appId: args.appId })
  }
})

const revoke = defineCommand({
  meta: { name: "revoke", description: "Revoke a runtime key permanently, at once; prints one line of JSON" },
  args: {
    prefix: {
      type: "positional",
      required: true,
      description: "Prefix of the key, as key list shows it, or the whole key"
    }
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["prefix"], 1)
    return (await import("./key.ts")).revokeKey({ prefix: args.prefix })
  }
})

const rotate = defineCommand({
  meta: { name: "rotate", description: "Create a replacement for a runtime key; prints one line of JSON" },
  args: {
    prefix: { type: "positional", required: true, description: "Prefix of the old key, or the whole key" },
    "grace-seconds": {
      type: "string",
      description: "How long the old key stays valid, up to a day. Default: 0",
      valueHint: "N"
    }
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["prefix", "grace-seconds", "graceSeconds"], 1)
    return (await import("./key.ts")).rotateKey({ prefix: args.prefix, graceSeconds: args["grace-seconds"] })
  }
})

/** `troupe key ...` */
export const key = defineCommand({
  meta: { name: "key", description: "Runtime keys of apps" },
  subCommands: { create, list, revoke, rotate }
})
