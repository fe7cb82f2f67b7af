import { defineCommand, runMain } from "citty"
import { VERSION } from "#pipeline/domain/version.ts"
import { app } from "./commands/appCommand.ts"
import { refuseUnknown } from "./commands/refuseUnknown.ts"

const serve = defineCommand({
  meta: { name: "serve", description: "Serve the API and run replies, in the roles that ROLES names" },
  run: async ({ args }) => {
    refuseUnknown(args, [], 0)
    return (await import("./commands/serve.ts")).serve()
  }
})

const appId = { type: "positional", required: true, description: "Id of the app (app_...)" } as const

const keyList = defineCommand({
  meta: {
    name: "list",
    description: "List the keys of an app by prefix, with their last use; prints one line of JSON"
  },
  args: { appId },
  run: async ({ args }) => {
    refuseUnknown(args, ["appId", "app-id"], 1)
    return (await import("./commands/key.ts")).listKeys({ appId: args.appId })
  }
})

const keyCreate = defineCommand({
  meta: { name: "create", description: "Create another runtime key for an app; prints one line of JSON" },
  args: { appId },
  run: async ({ args }) => {
    refuseUnknown(args, ["appId", "app-id"], 1)
    return (await import("./commands/key.ts")).createKey({ appId: args.appId })
  }
})

const keyRevoke = defineCommand({
  meta: { name: "revoke", description: "Revoke a runtime key now and for good; prints one line of JSON" },
  args: {
    prefix: {
      type: "positional",
      required: true,
      description: "Prefix of the key (ck_ and 8 characters), or the whole key"
    }
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["prefix"], 1)
    return (await import("./commands/key.ts")).revokeKey({ prefix: args.prefix })
  }
})

const keyRotate = defineCommand({
  meta: { name: "rotate", description: "Make a runtime key in place of another; prints one line of JSON" },
  args: {
    prefix: { type: "positional", required: true, description: "Prefix of the key that is to end, or the whole key" },
    "grace-seconds": {
      type: "string",
      description: "How long it goes on beside the new one, up to a day; it ends at once without this",
      valueHint: "N"
    }
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["prefix", "grace-seconds", "graceSeconds"], 1)
    return (await import("./commands/key.ts")).rotateKey({ prefix: args.prefix, graceSeconds: args["grace-seconds"] })
  }
})

const ledgerCheck = defineCommand({
  meta: {
    name: "check",
    description:
      "Compare what turns have cost with what the ledger says; prints one line of JSON, and fails where they differ"
  },
  args: {
    app: { type: "string", description: "One app alone", valueHint: "APP_ID" },
    days: { type: "string", description: "Turns of the last N days; 2 without it", valueHint: "N" }
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["app", "days"], 0)
    return (await import("./commands/ledger.ts")).checkLedger({ app: args.app, days: args.days })
  }
})

const secretsRotate = defineCommand({
  meta: {
    name: "rotate",
    description: "Seal every secret under SECRETS_KEY_NEW instead of SECRETS_KEY; prints one line of JSON"
  },
  run: async ({ args }) => {
    refuseUnknown(args, [], 0)
    return (await import("./commands/secrets.ts")).rotateSecrets()
  }
})

const rebuild = defineCommand({
  meta: {
    name: "rebuild",
    description:
      "Make what a session's character remembers and feels anew out of the log of its changes; prints one line of JSON"
  },
  args: { session: { type: "positional", required: true, description: "Id of the session (ses_...)" } },
  run: async ({ args }) => {
    refuseUnknown(args, ["session"], 1)
    return (await import("./commands/rebuild.ts")).rebuild(args)
  }
})

const ofApp = { type: "string", description: "Those of one app; of every app without it", valueHint: "APP_ID" } as const

const telegramHold = defineCommand({
  meta: {
    name: "hold",
    description: "Hold Telegram bots back at once: what people write is kept, nothing is sent; prints one line of JSON"
  },
  args: { app: ofApp, reason: { type: "string", description: "Why, for the apps to read", valueHint: "TEXT" } },
  run: async ({ args }) => {
    refuseUnknown(args, ["app", "reason"], 0)
    return (await import("./commands/telegram.ts")).holdTelegram({ app: args.app, reason: args.reason })
  }
})

const telegramRelease = defineCommand({
  meta: {
    name: "release",
    description: "Release Telegram bots that were held back: everything goes on where it was; prints one line of JSON"
  },
  args: { app: ofApp },
  run: async ({ args }) => {
    refuseUnknown(args, ["app"], 0)
    return (await import("./commands/telegram.ts")).releaseTelegram({ app: args.app })
  }
})

const telegramHolds = defineCommand({
  meta: { name: "holds", description: "What is held back, since when and why; prints one line of JSON" },
  run: async ({ args }) => {
    refuseUnknown(args, [], 0)
    return (await import("./commands/telegram.ts")).listHolds()
  }
})

/** What every command that speaks to a server takes. */
const client = {
  url: {
    type: "string",
    description: "The server; else TROUPE_URL, PUBLIC_URL, http://127.0.0.1:8080",
    valueHint: "URL"
  },
  key: {
    type: "string",
    description: "A runtime key of the app; else TROUPE_KEY, which other users of this machine cannot see",
    valueHint: "ck_..."
  },
  json: { type: "boolean", description: "One JSON object a line" }
} as const
const clientFlags = Object.keys(client)

const eventsTail = defineCommand({
  meta: { name: "tail", description: "Follow a session's log until Ctrl-C, across lost connections" },
  args: {
    session: { type: "positional", required: true, description: "Id of the session (ses_...)" },
    since: { type: "string", description: "Only events after this cursor; the whole log without it", valueHint: "N" },
    ...client
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["session", "since", ...clientFlags], 1)
    return (await import("./commands/events.ts")).tailEvents({ ...args, json: args.json === true })
  }
})

const evalRun = defineCommand({
  meta: {
    name: "run",
    description: "Play a suite of evals, print what became of each case, and fail where a gate is not passed"
  },
  args: {
    suite: { type: "positional", required: true, description: "Id of a suite (evs_...), or a JSON file with one" },
    offline: { type: "boolean", description: "By the offline engine, for nothing" },
    "max-cost-usd": {
      type: "string",
      description: "The most that it may cost; needed where the server has a model",
      valueHint: "N"
    },
    repeats: { type: "string", description: "How often each case is played; once without it", valueHint: "1-5" },
    seed: { type: "string", description: "What chance draws by; 1 without it", valueHint: "N" },
    mode: { type: "string", default: "fast", description: "How replies are made", valueHint: "fast|deep" },
    "character-version": {
      type: "string",
      description: "This version of the character instead of the newest",
      valueHint: "N"
    },
    baseline: {
      type: "string",
      description: "A run to compare with; it fails where the new one is worse by more than chance",
      valueHint: "evr_..."
    },
    ...client
  },
  run: async ({ args }) => {
    refuseUnknown(
      args,
      [
        "suite",
        "offline",
        "max-cost-usd",
        "maxCostUsd",
        "repeats",
        "seed",
        "mode",
        "character-version",
        "characterVersion",
        "baseline",
        ...clientFlags
      ],
      1
    )
    return (await import("./commands/eval.ts")).runEval({
      ...args,
      offline: args.offline === true,
      maxCostUsd: args["max-cost-usd"],
      characterVersion: args["character-version"],
      json: args.json === true
    })
  }
})

const chat = defineCommand({
  meta: { name: "chat", description: "Talk to a character; a conversation goes on where it was left" },
  args: {
    character: { type: "positional", required: true, description: "Slug of the character" },
    session: { type: "string", description: "This conversation instead of your own", valueHint: "ses_..." },
    mode: { type: "string", default: "fast", description: "How replies are made", valueHint: "fast|deep" },
    new: { type: "boolean", description: "Begin a new conversation" },
    ...client
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["character", "session", "mode", "new", ...clientFlags], 1)
    return (await import("./commands/chat.ts")).chat({ ...args, fresh: args.new === true, json: args.json === true })
  }
})

const characterImport = defineCommand({
  meta: {
    name: "import",
    description:
      "Make a character of a file: shows what was understood of it, asks, and makes it; prints one line of JSON"
  },
  args: {
    file: {
      type: "positional",
      required: true,
      description: "A character card (JSON or PNG), CharX, a lorebook, a character of elizaOS or a bundle"
    },
    slug: {
      type: "string",
      description: "The slug that the character is to have; made of its name without it",
      valueHint: "SLUG"
    },
    into: { type: "string", description: "Change this character instead of making one", valueHint: "SLUG" },
    yes: { type: "boolean", description: "Take the warnings as they are, and ask nothing" },
    url: client.url,
    key: client.key
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["file", "slug", "into", "yes", "url", "key"], 1)
    return (await import("./commands/characterImport.ts")).importCharacter({ ...args, yes: args.yes === true })
  }
})

const characterExport = defineCommand({
  meta: { name: "export", description: "Write a character to a file; prints one line of JSON" },
  args: {
    slug: { type: "positional", required: true, description: "Slug of the character" },
    format: {
      type: "string",
      default: "chara_card_v3",
      description: "What to write",
      valueHint: "chara_card_v3|png|bundle"
    },
    out: {
      type: "string",
      description: "Where to write; the slug with .json, .png or .zip without it",
      valueHint: "FILE"
    },
    url: client.url,
    key: client.key
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["slug", "format", "out", "url", "key"], 1)
    return (await import("./commands/characterExport.ts")).exportCharacter(args)
  }
})

const webhooksListen = defineCommand({
  meta: {
    name: "listen",
    description: "Post a session's events to an address of yours, signed as the webhook channel signs them"
  },
  args: {
    session: { type: "string", required: true, description: "Id of the session", valueHint: "ses_..." },
    forward: {
      type: "string",
      required: true,
      description: "Where to post; an address of this machine will do",
      valueHint: "URL"
    },
    secret: {
      type: "string",
      description: "What to sign with; made and printed when not given",
      valueHint: "whsec_..."
    },
    since: { type: "string", description: "Events after this cursor; only new ones without it", valueHint: "N" },
    ...client
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["session", "forward", "secret", "since", ...clientFlags], 0)
    return (await import("./commands/webhooks.ts")).listenWebhooks({ ...args, json: args.json === true })
  }
})

await runMain(
  defineCommand({
    meta: { name: "troupe", version: VERSION, description: "A messenger-delivery-centric gateway for AI characters" },
    subCommands: {
      serve,
      app,
      key: defineCommand({
        meta: { name: "key", description: "Runtime keys of apps" },
        subCommands: { create: keyCreate, list: keyList, revoke: keyRevoke, rotate: keyRotate }
      }),
      ledger: defineCommand({
        meta: { name: "ledger", description: "The books of what was spent" },
        subCommands: { check: ledgerCheck }
      }),
      rebuild,
      telegram: defineCommand({
        meta: { name: "telegram", description: "Telegram bots of all apps" },
        subCommands: { hold: telegramHold, release: telegramRelease, holds: telegramHolds }
      }),
      secrets: defineCommand({
        meta: { name: "secrets", description: "Secrets at rest" },
        subCommands: { rotate: secretsRotate }
      }),
      chat,
      eval: defineCommand({
        meta: { name: "eval", description: "What characters are held to" },
        subCommands: { run: evalRun }
      }),
      character: defineCommand({
        meta: { name: "character", description: "Characters in files" },
        subCommands: { import: characterImport, export: characterExport }
      }),
      events: defineCommand({
        meta: { name: "events", description: "Logs of sessions" },
        subCommands: { tail: eventsTail }
      }),
      webhooks: defineCommand({
        meta: { name: "webhooks", description: "Webhooks under development" },
        subCommands: { listen: webhooksListen }
      })
    }
  })
)
