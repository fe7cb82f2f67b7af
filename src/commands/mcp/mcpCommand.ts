import { defineCommand } from "citty"
import { clientArgs } from "#src/commands/terminal/clientArgs.ts"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

const { url, key } = clientArgs

/** `troupe mcp` */
export const mcp = defineCommand({
  meta: { name: "mcp", description: "Serve an app to an MCP client over stdin and stdout" },
  args: {
    "allow-write": { type: "boolean", description: "Also offer the tools that change something" },
    url,
    key
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["allow-write", "allowWrite", "url", "key"], 0)
    return (await import("./mcp.ts")).serveMcp({
      url: args.url,
      key: args.key,
      allowWrites: args["allow-write"] === true
    })
  }
})
