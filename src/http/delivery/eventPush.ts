import * as z from "zod"
import { EventData } from "#src/http/conversation/eventSchemas.ts"

const header = (name: string, description: string, schema: object = { type: "string" }) =>
  ({ in: "header", name, required: true, description, schema }) as const

// For readers of events: as in answers, undocumented fields may be present.
const { $schema: _, ...event } = z.toJSONSchema(EventData, { io: "input" })

/** The request that webhook channels send, for the OpenAPI document. */
export const eventPush = {
  post: {
    operationId: "pushEvent",
    summary: "What a webhook channel sends: one event as it is in the log, signed",
    description:
      "At least once, and in the order of the session's log. Tell repeats apart by the event's id. Verify " +
      "webhook-signature over the body's bytes as they came, for instance with the library standardwebhooks. A test " +
      "push is of type channel.test, at cursor 0; through an app-wide channel its session_id is null. App-wide " +
      "channels also get the app's operational events, under the app's id as session_id.",
    tags: ["Channels"],
    security: [],
    parameters: [
      header("webhook-id", "The event's id, the same on every try"),
      header("webhook-timestamp", "When this try was made, in seconds since 1970", { type: "integer" }),
      header(
        "webhook-signature",
        "Standard Webhooks: v1, and the base64 of the HMAC-SHA256 of webhook-id.webhook-timestamp.body; two of " +
          "them, with a space between, while a rotated secret goes on signing"
      ),
      header("x-service-event-id", "The event's id"),
      header("x-service-cursor", "The event's cursor", { type: "integer" })
    ],
    requestBody: { required: true, content: { "application/json": { schema: event as object } } },
    responses: {
      "2XX": { description: "Taken. The body is not looked at" },
      "410": { description: "Never send anything here again: the channel is disabled" },
      "4XX": {
        description:
          "Not taken: tried again later, as after a timeout or a 5xx. 429 has the whole channel wait, for as " +
          "long as Retry-After says"
      }
    }
  }
}
