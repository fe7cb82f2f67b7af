import { isId } from "#pipeline/domain/Id.ts"
import { BatchRows } from "#src/db/telegram/BatchRows.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import { resourceExists } from "#src/http/server/resourceExists.ts"
import { batchNotFound, botNotFound } from "./telegramErrors.ts"

export const botExists = resourceExists(
  botNotFound,
  ({ bot_id = "" }, { principal }) => isId("bot", bot_id) && BotRows.use((rows) => rows.get(principal.appId, bot_id))
)

export const batchExists = resourceExists(
  batchNotFound,
  ({ batch_id = "" }, { principal }) =>
    isId("bat", batch_id) && BatchRows.use((rows) => rows.get(principal.appId, batch_id))
)
