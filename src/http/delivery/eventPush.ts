const header = (name: string, description: string, schema: object = { type: "string" }) =>
  ({ in: "header", name, required: true, description, schema }) as const

/** The request that webhook channels send, for the OpenAPI document. */
export const eventPush = {
  post: {
    operationId: "pushEvent",
    summary: "Request of a webhook channel: one event of the log, signed",
    description:
      "Delivery is at least once, and in the order of the session's log. Use the event's id to " +
      "detect duplicates. Verify webhook-signature over the raw bytes of the body, for instance " +
      "with the library standardwebhooks. A test event has the type channel.test and cursor 0, " +
      "and through an app-wide channel its session_id is null. App-wide channels also get the " +
      "app's operational events, with the app's id as session_id.",
    tags: ["Channels"],
    security: [],
    parameters: [
      header("webhook-id", "The event's id. The same on every attempt"),
      header("webhook-timestamp", "Time of this attempt, in seconds since 1970", { type: "integer" }),
      header(
        "webhook-signature",
        "Standard Webhooks: v1, and the base64 of the HMAC-SHA256 of " +
          "webhook-id.webhook-timestamp.body. While a rotated secret also signs, there are two, " +
          "separated by a space"
      ),
      header("x-service-event-id", "The event's id"),
      header("x-service-cursor", "The event's cursor", { type: "integer" })
    ],
    requestBody: {
      required: true,
      content: { "application/json": { schema: { $ref: "#/components/schemas/WebhookEvent" } } }
    },
    responses: {
      "2XX": { description: "Accepted. The body is ignored" },
      "410": { description: "Disables the channel: nothing is sent to this URL again" },
      "4XX": {
        description:
          "Not accepted: retried later, as after a timeout or a 5xx. After a " +
          "429, the whole channel waits as long as Retry-After says"
      }
    }
  }
}
