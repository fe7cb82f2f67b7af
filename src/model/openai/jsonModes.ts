/** OPENAI_JSON: `auto` detects what the server supports. The others always request structure in one way. */
export const JSON_MODES = ["auto", "schema", "object", "none"] as const
export type JsonMode = (typeof JSON_MODES)[number]
