import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BotApi } from "#channels/telegram/BotApi.ts"
import { Deliveries } from "#src/db/delivery/Deliveries.ts"
import { BatchRows } from "#src/db/telegram/BatchRows.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import { ManagerUpdates } from "#src/db/telegram/ManagerUpdates.ts"
import { PolledBots } from "#src/db/telegram/PolledBots.ts"
import { Provisionings } from "#src/db/telegram/Provisionings.ts"
import { WebhookRegistrar } from "#src/jobs/telegram/WebhookRegistrar.ts"
import { BotActions } from "#src/jobs/telegram/BotActions.ts"
import { BatchWorker } from "#src/jobs/telegram/BatchWorker.ts"
import { ProfilePublisher } from "#src/jobs/telegram/ProfilePublisher.ts"
import { Manager } from "#src/jobs/telegram/Manager.ts"
import * as Pollers from "#src/jobs/telegram/Pollers.ts"
import { Probe } from "#src/jobs/telegram/Probe.ts"
import { Settings } from "#src/settings/Settings.ts"
import { ownTexts } from "./telegram.ts"

export const botApi = Layer.unwrap(Effect.map(Settings, ({ telegram: { apiRoot } }) => BotApi.layer({ apiRoot })))

/** Manages Telegram bots. */
export const botCare = Layer.unwrap(
  Effect.gen(function* () {
    const { publicUrl, telegram } = yield* Settings
    return BatchWorker.layer.pipe(
      Layer.provideMerge(BotActions.layer),
      Layer.provideMerge(Probe.layer),
      Layer.provideMerge(
        Manager.layer({ token: telegram.managerToken, polling: telegram.mode === "polling", publicUrl })
      ),
      Layer.provide(Deliveries.layer),
      Layer.provideMerge(ProfilePublisher.layer),
      Layer.provideMerge(WebhookRegistrar.layer({ polling: telegram.mode === "polling", publicUrl })),
      Layer.provideMerge(Layer.mergeAll(Provisionings.layer, ManagerUpdates.layer, BatchRows.layer)),
      Layer.provide(ownTexts),
      Layer.provideMerge(BotRows.layer)
    )
  })
)

/** Polls for updates where Telegram does not post them. */
export const pollers = Layer.unwrap(
  Effect.map(Settings, ({ telegram }) =>
    telegram.mode === "polling"
      ? Pollers.layer(telegram.managerToken).pipe(Layer.provide(PolledBots.layer))
      : Layer.empty
  )
)
