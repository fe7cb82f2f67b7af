/** OPENAI_JSON: `auto` finds out what the server can do; the others ask for structure in one way. */
export const JSON_MODES = ["auto", "schema", "object", "none"] as const
export type JsonMode = (typeof JSON_MODES)[number]
