import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { createHmac } from "node:crypto"
import { BotApi, type BotApiError } from "#channels/telegram/BotApi.ts"
import { HOOKS_PATH, MANAGER } from "#channels/telegram/hooksPath.ts"
import { TelegramUnavailable } from "../WebhookRegistrar.ts"

/** How often to check the manager's own webhook. Nothing else reports that it was removed. */
const REGISTERED_FOR_MS = 10 * 60_000

/** No manager bot is configured. */
export class NoManager extends Schema.TaggedError<NoManager>()("NoManager", {}) {}

export interface ManagerOptions {
  readonly token: Redacted.Redacted<string> | null
  readonly polling: boolean
  readonly publicUrl: string | null
}

/** The manager bot itself: API calls with its token, and its own webhook. */
export const makeManagerBot = Effect.fnUntraced(function* ({ token, polling, publicUrl }: ManagerOptions) {
  const api = yield* BotApi
  const secret =
    token === null ? null : createHmac("sha256", Redacted.value(token)).update("the manager's hook").digest("base64url")
  const toUnavailable = ({ description }: BotApiError) => new TelegramUnavailable({ description })
  const own = token === null ? new NoManager() : Effect.succeed(token)
  const call = <A>(ask: (token: Redacted.Redacted<string>) => Effect.Effect<A, BotApiError>) =>
    Effect.flatMap(own, (token) => Effect.mapError(ask(token), toUnavailable))

  let known: string | null = null
  const username = Effect.gen(function* () {
    known ??= (yield* call((token) => api.call(token, "getMe", undefined))).username
    return known
  })
  let armed = { at: "", until: 0 }
  const arm = Effect.fnUntraced(function* (hooksAt: string) {
    if (secret === null) return yield* new NoManager()
    const now = yield* Clock.currentTimeMillis
    if (armed.at === hooksAt && now < armed.until) return
    yield* username
    // Telegram ignores a repeated identical setting.
    if (!polling)
      yield* call((token) =>
        api.call(token, "setWebhook", {
          url: `${hooksAt}/${MANAGER}`,
          secret_token: secret,
          allowed_updates: ["message", "managed_bot"]
        })
      )
    armed = { at: hooksAt, until: now + REGISTERED_FOR_MS }
  })
  const stayArmed =
    secret === null || publicUrl === null
      ? Effect.void
      : arm(`${publicUrl}${HOOKS_PATH}`).pipe(
          Effect.catch((error) =>
            Effect.logWarning("the manager bot's webhook could not be set", { reason: error.message })
          )
        )

  return { secret, username, arm, stayArmed, call }
})
export type ManagerBot = Effect.Success<ReturnType<typeof makeManagerBot>>
