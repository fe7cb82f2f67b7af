import { defineCommand } from "citty"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

const create = defineCommand({
  meta: { name: "create", description: "Create an operator token; prints one line of JSON, with the token shown once" },
  args: {
    name: { type: "positional", required: true, description: "What the token is for" },
    role: {
      type: "string",
      required: true,
      description: "viewer (reads), operator (also acts) or owner (also manages tokens and reads conversations)",
      valueHint: "ROLE"
    },
    days: { type: "string", description: "Days until it expires, up to 366. Default: 90", valueHint: "N" }
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["name", "role", "days"], 1)
    return (await import("./operator.ts")).createToken({ name: args.name, role: args.role, days: args.days })
  }
})

const list = defineCommand({
  meta: { name: "list", description: "List the operator tokens by prefix, newest first; prints one line of JSON" },
  run: async ({ args }) => {
    refuseUnknown(args, [], 0)
    return (await import("./operator.ts")).listTokens()
  }
})

const revoke = defineCommand({
  meta: { name: "revoke", description: "Revoke an operator token permanently, at once; prints one line of JSON" },
  args: {
    prefix: {
      type: "positional",
      required: true,
      description: "Prefix of the token (op_ and 8 characters), or the whole token"
    }
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["prefix"], 1)
    return (await import("./operator.ts")).revokeToken({ prefix: args.prefix })
  }
})

const token = defineCommand({
  meta: { name: "token", description: "Tokens that let programs act as operators" },
  subCommands: { create, list, revoke }
})

/** `troupe operator ...` */
export const operator = defineCommand({
  meta: { name: "operator", description: "Operators of this server" },
  subCommands: { token }
})
