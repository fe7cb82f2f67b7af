import * as Effect from "effect/Effect"
import { HOOKS_PATH } from "#channels/telegram/hooksPath.ts"
import { ActionLog } from "#src/db/operators/ActionLog.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import { findAnyBot } from "#src/http/operators/operatorBotRoutes.ts"
import { anyBotNotFound } from "#src/http/operators/operatorErrors.ts"
import { html } from "#src/http/server/page.ts"
import { prepareToken, registerWebhook } from "#src/http/telegram/telegramBot.ts"
import { type Console, done } from "../console.ts"
import { input } from "../form.ts"
import { TOKEN_PATTERN } from "./attachBot.ts"
import { BOTS_PATH } from "./botQuery.ts"
import { botStateName } from "./botStates.ts"

/** The form for a new token of a bot, after its old one was revoked in @BotFather. */
export const replaceToken = ({ screen, action }: Console): void => {
  const path = `${BOTS_PATH}/:bot_id/token`

  screen(
    { path, role: "operator", operationId: "showBotToken", summary: "The form for a new token of a bot" },
    ({ csrf, params }) =>
      Effect.gen(function* () {
        const { bot_id, username } = yield* findAnyBot(params["bot_id"] ?? "")
        const name = username === null ? bot_id : `@${username}`
        const url = `${BOTS_PATH}/${bot_id}`
        return {
          section: BOTS_PATH,
          above: { url, name },
          title: `Set a new token of ${name}`,
          body: html`<section class="card">
            <p>Everything continues where it stopped, and people notice nothing. The old token is deleted.</p>
            <form class="stack" method="post" action="${url}/token">
              ${csrf}
              ${input({
                name: "token",
                label: "Token",
                type: "password",
                required: true,
                pattern: TOKEN_PATTERN,
                title: "The token as @BotFather shows it: digits, a colon, and at least 30 characters",
                hint: "Of the same bot, from @BotFather. It is stored encrypted and never shown again"
              })}
              <div class="row">
                <button class="first" type="submit">Set the token</button>
                <a class="button" href="${url}">Leave it</a>
              </div>
            </form>
          </section>`
        }
      })
  )

  action(
    { path, operationId: "setBotTokenInConsole", summary: "Set a new token of a bot" },
    ({ baseUrl, params }, form) =>
      Effect.gen(function* () {
        const { app_id: appId, bot_id: botId, status: before } = yield* findAnyBot(params["bot_id"] ?? "")
        const bot = (yield* BotRows.use((rows) => rows.get(appId, botId))) ?? (yield* anyBotNotFound)
        const replace = yield* prepareToken(bot, (form.get("token") ?? "").trim())
        const changed = yield* ActionLog.use((audit) =>
          audit.change(
            { appId, action: "bot.token_replaced", subject: botId },
            Effect.gen(function* () {
              yield* replace
              const result = (yield* BotRows.use((rows) => rows.get(appId, botId))) ?? (yield* anyBotNotFound)
              return { result, before: { status: before }, after: { status: result.status } }
            })
          )
        )
        // Telegram's webhooks belong to tokens, so a new token needs a new webhook.
        const { status, username } =
          changed.status === "suspended" ? changed : yield* registerWebhook(changed, `${baseUrl}${HOOKS_PATH}`, false)
        return done(`${BOTS_PATH}/${botId}`, `@${username ?? botId} has its new token. It is ${botStateName(status)}.`)
      }),
    ({ params }) => `${BOTS_PATH}/${params["bot_id"]}/token`
  )
}
