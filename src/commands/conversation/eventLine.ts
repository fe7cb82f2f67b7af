import type { LogEvent } from "./follow.ts"
import { printable } from "#src/commands/terminal/output.ts"

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** The text of an event if its type is known, or else its payload. */
const says = ({ type, payload }: LogEvent): string => {
  const field = {
    "message.created": "text",
    "character.initiated": "text",
    "message.failed": "reason",
    "session.exited": "reason_code",
    "run.status": "status"
  }[type]
  return asText(field === undefined ? payload : (payload[field] ?? payload))
}

/** An event for people to read: time, cursor, type, author and text. */
export const eventLine = (event: LogEvent): string =>
  printable(`${event.created_at} #${event.cursor} ${event.type} ${event.role}: ${says(event)}`)
