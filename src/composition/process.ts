import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Workers } from "#src/db/conversation/Workers.ts"
import { CrashedUnits } from "#src/db/crashes/CrashedUnits.ts"
import { Alignment } from "#src/db/delivery/Alignment.ts"
import * as OperationalEvents from "#src/db/delivery/OperationalEvents.ts"
import { sealWebhookUrls } from "#src/db/delivery/webhookUrls.ts"
import * as Notifier from "#src/db/postgres/Notifier.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"
import * as Watchdog from "#src/jobs/runner/Watchdog.ts"
import { Settings } from "#src/settings/Settings.ts"
import * as currentUnit from "#src/units/currentUnit.ts"
import { api } from "./api.ts"
import { channelKinds } from "./channelKinds.ts"
import { pictures } from "./character.ts"
import { outbound } from "./delivery.ts"
import { painter, writer } from "./model.ts"
import { pricing } from "./pricing.ts"
import * as telegram from "./telegram.ts"
import { botApi, botCare } from "./telegramBots.ts"
import * as tenancy from "./tenancy.ts"
import { worker } from "./worker.ts"
import * as world from "./world.ts"

/**
 * One process in the roles that the settings assign. Its parts start and stop in parallel. Their dependencies start
 * before and stop after them.
 */
export const roles = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    const serving = settings.roles.has("api") ? api : Layer.empty
    const working = settings.roles.has("worker") ? worker : Layer.empty
    return Layer.mergeAll(serving, working, Watchdog.layer, Notifier.layer).pipe(
      Layer.provide([writer, Workers.layer, channelKinds, botCare]),
      Layer.provide(Alignment.layer),
      Layer.provide(world.shared),
      Layer.provide([tenancy.limits, telegram.shared]),
      Layer.provide([botApi, OperationalEvents.layer, pictures, painter, telegram.publicAddress]),
      Layer.provideMerge(outbound),
      Layer.provide(pricing),
      Layer.provide([sealWebhookUrls.pipe(Layer.provideMerge(Secrets.layer)), CrashedUnits.layer, currentUnit.layer])
    )
  })
)
