/** Arguments of every command that talks to a server. */
export const clientArgs = {
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
export const clientFlags = Object.keys(clientArgs)
