import { defineCommand } from "citty"
import { clientArgs, clientFlags } from "#src/commands/terminal/clientArgs.ts"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

const listen = defineCommand({
  meta: {
    name: "listen",
    description: "Post a session's events to your own address, signed like a webhook"
  },
  args: {
    session: { type: "string", required: true, description: "Id of the session", valueHint: "ses_..." },
    forward: {
      type: "string",
      required: true,
      description: "Where to post the events. Local addresses are allowed",
      valueHint: "URL"
    },
    secret: {
      type: "string",
      description: "Secret for the signatures. Default: a new one, which is printed",
      valueHint: "whsec_..."
    },
    since: { type: "string", description: "Post the events after this cursor. Default: only new ones", valueHint: "N" },
    ...clientArgs
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["session", "forward", "secret", "since", ...clientFlags], 0)
    return (await import("./webhooks.ts")).listenWebhooks({ ...args, json: args.json === true })
  }
})

/** `troupe webhooks ...` */
export const webhooks = defineCommand({
  meta: { name: "webhooks", description: "Webhooks during development" },
  subCommands: { listen }
})
