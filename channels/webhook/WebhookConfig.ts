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
  )
})
export type WebhookConfig = typeof WebhookConfig.Type
