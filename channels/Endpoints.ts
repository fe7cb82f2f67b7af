import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** Where the events of a channel that an app has made go. */
export interface Endpoint {
  /** It often contains a credential. */
  readonly url: Redacted.Redacted<string>
  /** What the app's server knows us by: the current one first, then the previous one while a rotation lasts. */
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
  /** What the Schema of the channel's kind reads. */
  readonly config: unknown
}

/** The endpoints are temporarily unavailable, through our own fault. */
export class EndpointsUnavailable extends Schema.TaggedError<EndpointsUnavailable>()("EndpointsUnavailable", {
  cause: Schema.Defect()
}) {}

/** Port: the endpoints of channels that apps have made. Undefined: there is no such channel any more. */
export class Endpoints extends Context.Service<
  Endpoints,
  {
    /** `version` is the channel's version in the delivery. A cached endpoint of an older version is not used. */
    readonly get: (
      appId: string,
      channelId: string,
      version: number
    ) => Effect.Effect<Endpoint | undefined, EndpointsUnavailable>
  }
>()("channels/Endpoints") {}
