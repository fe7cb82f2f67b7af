import * as Effect from "effect/Effect"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { ExpiredSandboxes } from "#src/db/privacy/ExpiredSandboxes.ts"
import { WebhookRegistrar } from "#src/jobs/telegram/WebhookRegistrar.ts"
import { task } from "#src/jobs/runner/task.ts"

/** Detaches the app's bots from this server, so that their owners can attach them again. */
const releaseBots = Effect.fnUntraced(function* (appId: string) {
  const rows = yield* BotRows
  const registrar = yield* WebhookRegistrar
  const bots = yield* rows.list(appId, { after: null, limit: 1000 })
  const release = (bot: StoredBot) =>
    Effect.andThen(registrar.unregister(bot), rows.detach(appId, bot.channel_id, null))
  yield* Effect.forEach(bots, release, { discard: true })
})

/**
 * Erases the sandboxes whose keys have expired, one after another. If one fails, the others continue and it is due
 * again the next time.
 */
const clearSandboxes = Effect.gen(function* () {
  const expired = yield* ExpiredSandboxes
  const clear = (appId: string) =>
    Effect.andThen(releaseBots(appId), expired.erase(appId)).pipe(
      Effect.catchTag("DatabaseError", (error) =>
        Effect.logWarning("sandbox could not be deleted", { app_id: appId, reason: error.message })
      )
    )
  yield* Effect.forEach(yield* expired.due, clear, { discard: true })
})

export const sandboxesTask = task("sandboxes", clearSandboxes, { cron: "*/10 * * * *" })
