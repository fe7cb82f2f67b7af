/** Arguments of every command that talks to a server. */
export const clientArgs = {
  url: {
    type: "string",
    description: "Address of the server. Default: TROUPE_URL, PUBLIC_URL or http://127.0.0.1:8080",
    valueHint: "URL"
  },
  key: {
    type: "string",
    description: "Runtime key of the app. Default: TROUPE_KEY, which other users of this machine cannot see",
    valueHint: "ck_..."
  },
  json: { type: "boolean", description: "Print one JSON object per line" }
} as const
export const clientFlags = Object.keys(clientArgs)
