import { defineError } from "#src/http/server/catalogue.ts"

export const originNotAllowed = defineError(
  403,
  "origin_not_allowed",
  "Pages of other sites can't call /mcp.",
  "Call it from a server or an MCP client, not from a browser. Set PUBLIC_URL if pages of this server call it."
)
