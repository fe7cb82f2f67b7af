import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as FeedWatch from "#channels/event-log/FeedWatch.ts"
import { Feeds } from "#channels/event-log/Feeds.ts"
import * as LogWatch from "#channels/event-log/LogWatch.ts"
import * as PostgresInbox from "#src/db/conversation/PostgresInbox.ts"
import * as PostgresAppFeed from "#src/db/conversation/PostgresAppFeed.ts"
import * as PostgresEventLog from "#src/db/conversation/PostgresEventLog.ts"
import { Consumers } from "#src/db/conversation/Consumers.ts"
import { History } from "#src/db/conversation/History.ts"
import { Metrics } from "#src/db/conversation/Metrics.ts"
import { Runs } from "#src/db/conversation/Runs.ts"
import * as PostgresSafetyRecord from "#src/db/conversation/PostgresSafetyRecord.ts"
import { Timeline } from "#src/db/conversation/Timeline.ts"
import { Traces } from "#src/db/conversation/Traces.ts"
import * as PostgresTranscript from "#src/db/conversation/PostgresTranscript.ts"
import * as PostgresTurnEnds from "#src/db/conversation/PostgresTurnEnds.ts"
import { Turns } from "#src/db/conversation/Turns.ts"
import { MAX_IN_FLIGHT, MAX_IN_FLIGHT_OFFLINE, TurnRunner } from "#src/jobs/conversation/TurnRunner.ts"
import { Prices } from "#src/model/prices.ts"
import { ConfiguredModels, reserving } from "#src/model/reservation.ts"
import { Settings } from "#src/settings/Settings.ts"

/** Accepts messages from all channels. */
export const inbox = Layer.unwrap(
  Effect.gen(function* () {
    return PostgresInbox.layer({ reserve: reserving(yield* Prices, yield* ConfiguredModels) })
  })
)

/** Reads session logs and notifies readers of new events. */
export const log = Layer.merge(LogWatch.layer, FeedWatch.layer).pipe(
  Layer.provideMerge(Feeds.layer),
  Layer.provideMerge(Layer.mergeAll(PostgresEventLog.layer, PostgresAppFeed.layer, PostgresTurnEnds.layer))
)

/** Services that routes use. */
export const serving = Layer.mergeAll(
  inbox,
  Consumers.layer,
  History.layer,
  Metrics.layer,
  Runs.layer,
  Timeline.layer,
  Traces.layer
)

/** Services that turns read from and write to. */
export const stores = Layer.mergeAll(PostgresSafetyRecord.layer, PostgresTranscript.layer, Turns.layer)

/** Services that jobs use. */
export const working = Layer.unwrap(
  Effect.map(Settings, ({ model }) => TurnRunner.layer(model === null ? MAX_IN_FLIGHT_OFFLINE : MAX_IN_FLIGHT))
)
