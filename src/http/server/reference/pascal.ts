/** `session-id path` and `session_id.path` are `SessionIdPath`. */
export const pascal = (name: string): string =>
  name
    .split(/[^a-zA-Z0-9]/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join("")
