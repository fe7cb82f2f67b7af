import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { Database, DatabaseError } from "#src/db/postgres/Database.ts"
import type { Secrets } from "#src/db/postgres/Secrets.ts"
import type { Alignment, ChannelScope } from "./Alignment.ts"
import { type ChannelChange, type ChannelChanged, changeChannel } from "./channels/changeChannel.ts"
import { type ChannelLimitReached, createChannel, type NewChannel } from "./channels/createChannel.ts"
import { expireChannels } from "./channels/expireChannels.ts"
import { type ChannelFilter, getChannel, selectChannels } from "./channels/readChannels.ts"
import { readEndpoint } from "./channels/readEndpoint.ts"
import { removeChannel } from "./channels/removeChannel.ts"
import { pauseChannel, startChannel } from "./channels/startAndPause.ts"
import type { StoredChannel } from "./channels/StoredChannel.ts"

/** Push channels of a session or of a whole app. Undefined: there is no such channel in the scope. */
export class Channels extends Context.Service<
  Channels,
  {
    readonly create: (
      scope: ChannelScope,
      channel: NewChannel
    ) => Effect.Effect<StoredChannel, ChannelLimitReached | DatabaseError>
    readonly get: (scope: ChannelScope, channelId: string) => Effect.Effect<StoredChannel | undefined, DatabaseError>
    readonly list: (
      scope: ChannelScope,
      filter: ChannelFilter
    ) => Effect.Effect<ReadonlyArray<StoredChannel>, DatabaseError>
    /** Where a channel pushes to, and the secret that signs. */
    readonly endpoint: (
      scope: ChannelScope,
      channelId: string
    ) => Effect.Effect<
      { readonly url: Redacted.Redacted<string>; readonly secret: Redacted.Redacted<string> } | undefined,
      DatabaseError
    >
    /** Fails if the channel no longer has the version that it had when the change was decided. */
    readonly change: (
      scope: ChannelScope,
      channel: Pick<StoredChannel, "channel_id" | "version">,
      change: ChannelChange
    ) => Effect.Effect<StoredChannel | undefined, ChannelChanged | DatabaseError>
    /** Returns the channel as it was. */
    readonly remove: (scope: ChannelScope, channelId: string) => Effect.Effect<StoredChannel | undefined, DatabaseError>
    readonly pause: (scope: ChannelScope, channelId: string) => Effect.Effect<StoredChannel | undefined, DatabaseError>
    /** Continues each lane from its position. Lanes that wait for a retry no longer wait. */
    readonly resume: (scope: ChannelScope, channelId: string) => Effect.Effect<StoredChannel | undefined, DatabaseError>
    /** Delivers the events after this cursor again, in each session of the channel. */
    readonly replay: (
      scope: ChannelScope,
      channelId: string,
      since: number
    ) => Effect.Effect<StoredChannel | undefined, DatabaseError>
    /** Deletes the app-wide channels whose `expires_at` is past. */
    readonly expire: Effect.Effect<void, DatabaseError>
  }
>()("src/db/delivery/Channels") {
  static readonly layer = Layer.effect(
    Channels,
    Effect.gen(function* () {
      const provide = Effect.provideContext(yield* Effect.context<Database | Alignment | Secrets>())
      return Channels.of({
        create: (...args) => provide(createChannel(...args)),
        get: (...args) => provide(getChannel(...args)),
        list: (scope, filter) => provide(selectChannels(scope, { ...filter, channelId: null })),
        endpoint: (...args) => provide(readEndpoint(...args)),
        change: (...args) => provide(changeChannel(...args)),
        remove: (...args) => provide(removeChannel(...args)),
        pause: (...args) => provide(pauseChannel(...args)),
        resume: (scope, channelId) => provide(startChannel(scope, channelId, null)),
        replay: (...args) => provide(startChannel(...args)),
        expire: provide(expireChannels)
      })
    })
  )
}
