/** Arguments of every command for operators that talks to a server. */
export const operatorArgs = {
  url: {
    type: "string",
    description: "Address of the server. Default: TROUPE_URL, PUBLIC_URL or http://127.0.0.1:8080",
    valueHint: "URL"
  },
  json: { type: "boolean", description: "Print JSON" }
} as const
export const operatorFlags = Object.keys(operatorArgs)
