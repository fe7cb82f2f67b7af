import { defineCommand } from "citty"
import { clientArgs, clientFlags } from "./clientArgs.ts"
import { refuseUnknown } from "./refuseUnknown.ts"

const listen = defineCommand({
  meta: {
    name: "listen",
    description: "Post a session's events to an address of yours, with the signatures of the webhook channel"
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
