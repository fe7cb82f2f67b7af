import * as Schema from "effect/Schema"

const MAX_RETRIES = 20
const MAX_WAIT_SECONDS = 86_400

/** What an app sets for a webhook besides its address, its secret and its events. */
export const WebhookConfig = Schema.Struct({
  retry_schedule: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_WAIT_SECONDS }))).check(
        Schema.isMinLength(1),
        Schema.isMaxLength(MAX_RETRIES)
      )
    ).annotate({
      description:
        "Seconds to wait after the first, second, ... failed attempt, each varied by up to a fifth. An event that " +
        "still fails after the last wait expires. null: the default schedule, from 1 second to 24 hours",
      examples: [[5, 30, 300, 3600]]
    })
  ),
  mcp_subscription: Schema.optionalKey(
    Schema.NullOr(Schema.String.check(Schema.isPattern(/^sub_[0-9a-f]{32}$/))).annotate({
      description:
        "The id of the MCP event subscription that this webhook is for. It is sent as X-MCP-Subscription-Id, and the " +
        "body is the event in the form of MCP Events. null: the event as it is on the log"
    })
  ),
  expires_at: Schema.optionalKey(
    Schema.NullOr(Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/))).annotate({
      description:
        "When the webhook expires, in UTC with milliseconds. An app-wide webhook is then deleted, and a session's is " +
        "disabled. null: it does not expire",
      examples: ["2026-12-31T00:00:00.000Z"]
    })
  )
})
export type WebhookConfig = typeof WebhookConfig.Type
