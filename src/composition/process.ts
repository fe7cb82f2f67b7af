import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Workers } from "#src/db/conversation/Workers.ts"
import { CrashedUnits } from "#src/db/crashes/CrashedUnits.ts"
import { Alignment } from "#src/db/delivery/Alignment.ts"
import * as PostgresOperationalLog from "#src/db/delivery/PostgresOperationalLog.ts"
import { sealWebhookUrls } from "#src/db/delivery/webhookUrls.ts"
import * as Notifier from "#src/db/postgres/Notifier.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"
import { HeldBytes } from "#src/http/server/limits/HeldBytes.ts"
import * as Watchdog from "#src/jobs/runner/Watchdog.ts"
import { Settings } from "#src/settings/Settings.ts"
import * as currentUnit from "#src/units/currentUnit.ts"
import { api, type serving } from "./api.ts"
import { channelKinds } from "./channelKinds.ts"
import { heldUnits } from "./heldUnits.ts"
import { pictures } from "./character.ts"
import { outbound } from "./delivery.ts"
import { imageModel, writer } from "./model.ts"
import * as operators from "./operators.ts"
import { pricing } from "./pricing.ts"
import type { tables } from "./tables.ts"
import * as telegram from "./telegram.ts"
import { botApi, botCare } from "./telegramBots.ts"
import * as tenancy from "./tenancy.ts"
import { worker } from "./worker.ts"
import * as world from "./world.ts"

/** What both roles stand on, each on those below it. */
const shared = operators.monitoring.pipe(
  Layer.provideMerge(Layer.mergeAll(writer, Workers.layer.pipe(Layer.provide(heldUnits)), channelKinds, botCare)),
  Layer.provideMerge(Alignment.layer),
  Layer.provideMerge(world.shared),
  Layer.provideMerge(Layer.merge(tenancy.limits, telegram.shared)),
  Layer.provideMerge(
    Layer.mergeAll(botApi, PostgresOperationalLog.layer, pictures, imageModel, telegram.publicAddress)
  ),
  Layer.provideMerge(outbound),
  Layer.provideMerge(pricing),
  Layer.provideMerge(
    Layer.mergeAll(
      sealWebhookUrls.pipe(Layer.provideMerge(Secrets.layer)),
      CrashedUnits.layer,
      currentUnit.layer,
      HeldBytes.layer
    )
  )
)

declare module "../http/server/Server.ts" {
  interface HandlerLayers {
    readonly serving: typeof serving
    readonly shared: typeof shared
    readonly tables: typeof tables
  }
}

/**
 * One process in the roles that the settings assign. Its parts start and stop in parallel. Their dependencies start
 * before and stop after them.
 */
export const roles = Layer.unwrap(
  Effect.gen(function* () {
    const { roles } = yield* Settings
    return Layer.mergeAll(
      roles.has("api") ? api : Layer.empty,
      roles.has("worker") ? worker : Watchdog.layer,
      operators.listener,
      operators.refreshing,
      Notifier.layer
    )
  })
).pipe(Layer.provide(shared))
