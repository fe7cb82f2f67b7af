import type { LogEvent } from "./follow.ts"
import { printable } from "#src/commands/terminal/output.ts"

const textOf = (value: unknown): string => (typeof value === "string" ? printable(value) : "")
const bubblesOf = ({ bubbles, text }: LogEvent["payload"]): ReadonlyArray<string> =>
  Array.isArray(bubbles) ? bubbles.map(textOf) : [textOf(text)]

/**
 * An event as the participants see it: one line per bubble, none for events that are not meant for them. `name`: the
 * character's name.
 */
export const transcript = ({ type, role, payload }: LogEvent, name: string): ReadonlyArray<string> => {
  switch (type) {
    case "message.created":
    case "character.initiated":
      return bubblesOf(payload).map((bubble) => `${role === "user" ? "you" : name}: ${bubble}`)
    case "message.failed":
      return [
        `! ${name} could not answer ` +
          `(${textOf(payload["reason"])})` +
          `${payload["recoverable"] === true ? "; your message was recorded, send it again to retry" : ""}`
      ]
    case "session.exited":
      return [`! ${name} has left this conversation (${textOf(payload["reason_code"])})`]
    default:
      return []
  }
}
