import { defineCommand } from "citty"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

const file = { type: "positional", description: "The file", required: true, valueHint: "FILE" } as const

export const backup = defineCommand({
  meta: { name: "backup", description: "Write the whole database to a file, while the server runs" },
  args: { file },
  run: async ({ args }) => {
    refuseUnknown(args, ["file"], 1)
    return (await import("./backup.ts")).backupTo(args.file)
  }
})

export const verify = defineCommand({
  meta: { name: "verify", description: "Check that a backup is complete and unchanged; needs no database" },
  args: { file },
  run: async ({ args }) => {
    refuseUnknown(args, ["file"], 1)
    return (await import("./backup.ts")).verifyFile(args.file)
  }
})

export const restore = defineCommand({
  meta: { name: "restore", description: "Restore a backup into an empty database; deliveries start on hold" },
  args: {
    file,
    "repeat-erasures": {
      type: "string",
      description: "Erase again whom this file of erasures export names",
      valueHint: "FILE"
    }
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["file", "repeatErasures", "repeat-erasures"], 1)
    return (await import("./restore.ts")).restoreFrom(args.file, args["repeat-erasures"])
  }
})

const exportErasures = defineCommand({
  meta: {
    name: "export",
    description: "Write all erasures to a file, as hashes, so that a restore can repeat them"
  },
  args: { file },
  run: async ({ args }) => {
    refuseUnknown(args, ["file"], 1)
    return (await import("./backup.ts")).exportErasuresTo(args.file)
  }
})

/** `troupe erasures ...` */
export const erasures = defineCommand({
  meta: { name: "erasures", description: "Erasures of end-users" },
  subCommands: { export: exportErasures }
})

export const resumeDeliveries = defineCommand({
  meta: { name: "resume-deliveries", description: "Let a restored server deliver; prints one line of JSON" },
  run: async ({ args }) => {
    refuseUnknown(args, [], 0)
    return (await import("#src/commands/delivery/resumeDeliveries.ts")).resumeDeliveries()
  }
})
