import { curl } from "#src/http/server/envelope.ts"

/** What may be done next with a session. */
export const sessionActions = (baseUrl: string, id: string) => [
  {
    command: curl(baseUrl, "POST", `/v1/sessions/${id}/messages`, { text: "Hello!" }),
    description: "Send a message"
  },
  { command: curl(baseUrl, "GET", `/v1/sessions/${id}/events?since=0`), description: "Read the session's events" },
  { command: curl(baseUrl, "GET", `/v1/sessions/${id}/state`), description: "See the state of the session" }
]
