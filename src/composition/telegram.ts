import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { OwnTexts } from "#pipeline/texts/OwnTexts.ts"
import { BotLinks } from "#src/db/telegram/BotLinks.ts"
import { ChatRows } from "#src/db/telegram/ChatRows.ts"
import { ChatSessions } from "#src/db/telegram/ChatSessions.ts"
import { ForgetRequests } from "#src/db/telegram/ForgetRequests.ts"
import { TelegramSuspensions } from "#src/db/telegram/TelegramSuspensions.ts"
import { HookBindings } from "#src/db/telegram/HookBindings.ts"
import * as PostgresTelegramBots from "#src/db/telegram/PostgresTelegramBots.ts"
import * as PostgresTelegramChats from "#src/db/telegram/PostgresTelegramChats.ts"
import * as PostgresPace from "#src/db/telegram/PostgresPace.ts"
import { Updates } from "#src/db/telegram/Updates.ts"
import { UpdateWorker } from "#src/jobs/telegram/UpdateWorker.ts"
import { PublicAddress } from "#src/jobs/telegram/PublicAddress.ts"
import { Settings } from "#src/settings/Settings.ts"
import { inbox } from "./conversation.ts"
import { transcriber } from "./model.ts"

/** The public address of this server, for Telegram and for links that are sent to people. */
export const publicAddress = Layer.unwrap(
  Effect.map(Settings, ({ publicUrl, host, port }) => PublicAddress.layer({ publicUrl, host, port }))
)

/** The operator's own texts. */
export const ownTexts = Layer.effect(
  OwnTexts,
  Effect.map(Settings, (settings) => settings.ownTexts)
)

/** Shared by the channel, the bots and incoming updates. */
export const shared = Layer.mergeAll(PostgresTelegramBots.layer, PostgresPace.layer, Updates.layer)

/** Services that routes use. */
export const serving = Layer.mergeAll(BotLinks.layer, ChatRows.layer, HookBindings.layer)

/** Services that jobs use to handle incoming updates. */
export const working = UpdateWorker.layer.pipe(
  Layer.provide([
    inbox,
    ChatSessions.layer,
    ForgetRequests.layer,
    BotLinks.layer,
    PostgresTelegramChats.layer,
    transcriber
  ]),
  Layer.provide(ownTexts)
)

/** Suspensions by the operator. */
export const suspensions = TelegramSuspensions.layer
