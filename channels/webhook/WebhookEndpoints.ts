import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { WebhookConfig } from "./WebhookConfig.ts"

/** Where the events of a channel go, and what they are signed with. */
export interface WebhookEndpoint {
  /** It often holds a credential. */
  readonly url: Redacted.Redacted<string>
  /** The current one first, then the previous one while a rotation lasts. */
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
  readonly config: WebhookConfig
}

/** The endpoints cannot be looked up just now: ours, and passing. */
export class EndpointsUnavailable extends Schema.TaggedError<EndpointsUnavailable>()("EndpointsUnavailable", {
  cause: Schema.Defect()
}) {}

/** Port: the endpoints of webhook channels. Undefined: there is no such channel any more. */
export class WebhookEndpoints extends Context.Service<
  WebhookEndpoints,
  {
    /**
     * `version` is the channel's, as a delivery shows it: what an older version left in memory does not answer for it.
     */
    readonly get: (
      appId: string,
      channelId: string,
      version: number
    ) => Effect.Effect<WebhookEndpoint | undefined, EndpointsUnavailable>
  }
>()("channels/webhook/WebhookEndpoints") {}
