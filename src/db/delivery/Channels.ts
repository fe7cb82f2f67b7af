import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Database, DatabaseError } from "#src/db/postgres/Database.ts"
import type { Secrets } from "#src/db/postgres/Secrets.ts"
import type { Alignment, ChannelScope } from "./Alignment.ts"
import { type ChannelChange, changeChannel } from "./channels/changeChannel.ts"
import { type ChannelLimitReached, createChannel, type NewChannel } from "./channels/createChannel.ts"
import { type ChannelFilter, getChannel, selectChannels } from "./channels/readChannels.ts"
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
    readonly change: (
      scope: ChannelScope,
      channelId: string,
      change: ChannelChange
    ) => Effect.Effect<StoredChannel | undefined, DatabaseError>
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
        change: (...args) => provide(changeChannel(...args)),
        remove: (...args) => provide(removeChannel(...args)),
        pause: (...args) => provide(pauseChannel(...args)),
        resume: (scope, channelId) => provide(startChannel(scope, channelId, null)),
        replay: (...args) => provide(startChannel(...args))
      })
    })
  )
}
