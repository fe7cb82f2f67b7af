import { defineCommand, runMain } from "citty"

/** A misspelt flag or a name without its quotes must not do something else than was meant. */
const refuseUnknown = (args: { readonly _: ReadonlyArray<string> }, known: ReadonlyArray<string>, positionals: number) => {
  const unknown = [...Object.keys(args).filter((name) => name !== "_" && !known.includes(name)).map((name) => `--${name}`), ...args._.slice(positionals)]
  if (unknown.length === 0) return
  process.stderr.write(`troupe: ${unknown.join(" ")}: not understood here; see --help\n`)
  process.exit(1)
}

const serve = defineCommand({
  meta: { name: "serve", description: "Serve the API and run replies, in the roles that ROLES names" },
  run: async () => (await import("./commands/serve.ts")).serve()
})

const appCreate = defineCommand({
  meta: { name: "create", description: "Create an app with its first runtime key; prints one line of JSON" },
  args: {
    name: { type: "positional", required: true, description: "Name of the app" },
    "budget-usd": { type: "string", description: "Monthly budget in US dollars; none without it", valueHint: "N" }
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["name", "budget-usd", "budgetUsd"], 1)
    return (await import("./commands/app.ts")).createApp({ name: args.name, budgetUsd: args["budget-usd"] })
  }
})

const keyCreate = defineCommand({
  meta: { name: "create", description: "Create another runtime key for an app; prints one line of JSON" },
  args: { appId: { type: "positional", required: true, description: "Id of the app (app_...)" } },
  run: async ({ args }) => {
    refuseUnknown(args, ["appId", "app-id"], 1)
    return (await import("./commands/app.ts")).createKey({ appId: args.appId })
  }
})

const keyRevoke = defineCommand({
  meta: { name: "revoke", description: "Revoke a runtime key now and for good; prints one line of JSON" },
  args: { prefix: { type: "positional", required: true, description: "Prefix of the key (ck_ and 8 characters)" } },
  run: async ({ args }) => {
    refuseUnknown(args, ["prefix"], 1)
    return (await import("./commands/app.ts")).revokeKey({ prefix: args.prefix })
  }
})

const secretsRotate = defineCommand({
  meta: { name: "rotate", description: "Seal every secret under SECRETS_KEY_NEW instead of SECRETS_KEY; prints one line of JSON" },
  run: async ({ args }) => {
    refuseUnknown(args, [], 0)
    return (await import("./commands/secrets.ts")).rotateSecrets()
  }
})

await runMain(defineCommand({
  meta: { name: "troupe", version: "0.1.0", description: "A messenger-delivery-centric gateway for AI characters" },
  subCommands: {
    serve,
    app: defineCommand({ meta: { name: "app", description: "Apps, the tenants of this server" }, subCommands: { create: appCreate } }),
    key: defineCommand({ meta: { name: "key", description: "Runtime keys of apps" }, subCommands: { create: keyCreate, revoke: keyRevoke } }),
    secrets: defineCommand({ meta: { name: "secrets", description: "Secrets at rest" }, subCommands: { rotate: secretsRotate } })
  }
}))
