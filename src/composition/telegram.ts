import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BotLinks } from "#src/db/telegram/BotLinks.ts"
import { ChatRows } from "#src/db/telegram/ChatRows.ts"
import { Conversations } from "#src/db/telegram/Conversations.ts"
import { Forgetting } from "#src/db/telegram/Forgetting.ts"
import { Holds } from "#src/db/telegram/Holds.ts"
import { HookBindings } from "#src/db/telegram/HookBindings.ts"
import * as TelegramBotReader from "#src/db/telegram/TelegramBotReader.ts"
import * as TelegramChatTable from "#src/db/telegram/TelegramChatTable.ts"
import * as TelegramPaces from "#src/db/telegram/TelegramPaces.ts"
import { Updates } from "#src/db/telegram/Updates.ts"
import { Words } from "#src/db/telegram/Words.ts"
import { Intake } from "#src/jobs/telegram/Intake.ts"
import { PublicAddress } from "#src/jobs/telegram/PublicAddress.ts"
import { Settings } from "#src/settings/Settings.ts"
import { inbox } from "./conversation.ts"
import { transcriber } from "./model.ts"

/** Where Telegram, and whoever is sent a link, finds this server. */
export const publicAddress = Layer.unwrap(
  Effect.map(Settings, ({ publicUrl, host, port }) => PublicAddress.layer({ publicUrl, host, port }))
)

/** What the channel, the bots and what comes in stand on. */
export const shared = Layer.mergeAll(TelegramBotReader.layer, TelegramPaces.layer, Updates.layer)

/** What routes use. */
export const serving = Layer.mergeAll(BotLinks.layer, ChatRows.layer, HookBindings.layer)

/** What jobs use: what handles what comes in. */
export const working = Intake.layer.pipe(
  Layer.provide([
    inbox,
    Conversations.layer,
    Forgetting.layer,
    BotLinks.layer,
    TelegramChatTable.layer,
    Words.layer,
    transcriber
  ])
)

/** What the operator has held back. */
export const holds = Holds.layer
