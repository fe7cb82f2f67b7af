import { defineCommand } from "citty"
import { clientArgs, clientFlags } from "./clientArgs.ts"
import { refuseUnknown } from "./refuseUnknown.ts"

const listen = defineCommand({
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
    ...clientArgs
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["session", "forward", "secret", "since", ...clientFlags], 0)
    return (await import("./webhooks.ts")).listenWebhooks({ ...args, json: args.json === true })
  }
})

/** `troupe webhooks ...` */
export const webhooks = defineCommand({
  meta: { name: "webhooks", description: "Webhooks under development" },
  subCommands: { listen }
})
