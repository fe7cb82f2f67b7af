import type { LogEvent } from "./follow.ts"
import { printable } from "./output.ts"

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** What an event says, in words that its type is known by, or else as its payload. */
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

/** An event for people: time, cursor, type, who it is from, and its text. */
export const eventLine = (event: LogEvent): string =>
  printable(`${event.created_at} #${event.cursor} ${event.type} ${event.role}: ${says(event)}`)
