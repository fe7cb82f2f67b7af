import { defineCommand } from "citty"
import { clientArgs, clientFlags } from "./clientArgs.ts"
import { refuseUnknown } from "./refuseUnknown.ts"

const tail = defineCommand({
  meta: { name: "tail", description: "Follow a session's log until Ctrl-C, across lost connections" },
  args: {
    session: { type: "positional", required: true, description: "Id of the session (ses_...)" },
    since: { type: "string", description: "Only events after this cursor; the whole log without it", valueHint: "N" },
    ...clientArgs
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["session", "since", ...clientFlags], 1)
    return (await import("./events.ts")).tailEvents({ ...args, json: args.json === true })
  }
})

/** `troupe events ...` */
export const events = defineCommand({
  meta: { name: "events", description: "Logs of sessions" },
  subCommands: { tail }
})
