import { defineCommand } from "citty"
import { clientArgs, clientFlags } from "#src/commands/terminal/clientArgs.ts"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

const tail = defineCommand({
  meta: { name: "tail", description: "Follow a session's log until Ctrl-C, and reconnect when the connection is lost" },
  args: {
    session: { type: "positional", required: true, description: "Id of the session (ses_...)" },
    since: {
      type: "string",
      description: "Show only events after this cursor. Default: the whole log",
      valueHint: "N"
    },
    ...clientArgs
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["session", "since", ...clientFlags], 1)
    return (await import("./events.ts")).tailEvents({ ...args, json: args.json === true })
  }
})

/** `troupe events ...` */
export const events = defineCommand({
  meta: { name: "events", description: "Event logs of sessions" },
  subCommands: { tail }
})
