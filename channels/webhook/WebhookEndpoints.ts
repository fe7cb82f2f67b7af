import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** The URL for a channel's events, and the signing secrets. */
export interface WebhookEndpoint {
  /** It often contains a credential. */
  readonly url: Redacted.Redacted<string>
  /** The current one first, then the previous one during a rotation. */
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
}

/** The endpoints are temporarily unavailable, through our own fault. */
export class EndpointsUnavailable extends Schema.TaggedError<EndpointsUnavailable>()("EndpointsUnavailable", {
  cause: Schema.Defect()
}) {}

/** Port: the endpoints of webhook channels. Undefined: the channel no longer exists. */
export class WebhookEndpoints extends Context.Service<
  WebhookEndpoints,
  {
    /** `version` is the channel's version in the delivery. A cached endpoint of an older version is not used. */
    readonly get: (
      appId: string,
      channelId: string,
      version: number
    ) => Effect.Effect<WebhookEndpoint | undefined, EndpointsUnavailable>
  }
>()("channels/webhook/WebhookEndpoints") {}
