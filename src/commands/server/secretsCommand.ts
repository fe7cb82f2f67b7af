import { defineCommand } from "citty"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

const rotate = defineCommand({
  meta: {
    name: "rotate",
    description: "Encrypt every secret with SECRETS_KEY_NEW instead of SECRETS_KEY; prints one line of JSON"
  },
  run: async ({ args }) => {
    refuseUnknown(args, [], 0)
    return (await import("./secrets.ts")).rotateSecrets()
  }
})

/** `troupe secrets ...` */
export const secrets = defineCommand({
  meta: { name: "secrets", description: "Secrets at rest" },
  subCommands: { rotate }
})
