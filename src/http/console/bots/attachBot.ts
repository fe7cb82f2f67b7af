import * as Effect from "effect/Effect"
import { HOOKS_PATH } from "#channels/telegram/hooksPath.ts"
import { newId } from "#pipeline/domain/Id.ts"
import { Audit } from "#src/db/operators/Audit.ts"
import { Apps } from "#src/db/tenancy/Apps.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import { WebhookRegistrar } from "#src/jobs/telegram/WebhookRegistrar.ts"
import { appNotFound } from "#src/http/tenancy/tenancyErrors.ts"
import { askTelegram, checkCharacter, readToken, setUpBot } from "#src/http/telegram/telegramBot.ts"
import { telegramBotTaken } from "#src/http/telegram/telegramErrors.ts"
import { prepareManagedBot } from "#src/http/telegram/createManagedBot.ts"
import { BotCreate } from "#src/http/telegram/telegramSchemas.ts"
import { validationError } from "#src/http/server/errors.ts"
import { html } from "#src/http/server/page.ts"
import { type Console, done } from "../console.ts"
import { when } from "../figures.ts"
import { input } from "../form.ts"
import { BOTS_PATH } from "./botQuery.ts"
import { botStateName } from "./botStates.ts"

/** What @BotFather gives. A browser refuses anything else before it sends the form, and the server before any call. */
export const TOKEN_PATTERN = "[0-9]{3,15}:[A-Za-z0-9_\\-]{30,100}"

/** The form that connects a bot to a character, with the token that @BotFather gave. */
export const attachBot = ({ screen, action }: Console): void => {
  screen(
    { path: `${BOTS_PATH}/attach`, role: "operator", operationId: "showAttachBot", summary: "The form for a bot" },
    ({ csrf, query }) =>
      Effect.succeed({
        section: BOTS_PATH,
        above: { url: BOTS_PATH, name: "Bots" },
        title: "Attach a bot",
        body: html`<div class="split">
          <section class="card" aria-labelledby="with-token">
            <h2 id="with-token">With its token</h2>
            <form class="stack" method="post" action="${BOTS_PATH}/attach">
              ${csrf}
              ${input({
                name: "app",
                label: "App",
                value: query.get("app") ?? "",
                required: true,
                hint: "The id of the app that the character belongs to (app_…)"
              })}
              ${input({
                name: "character",
                label: "Character",
                value: query.get("character") ?? "",
                required: true,
                hint: "Its slug, such as edda-brandvik"
              })}
              ${input({
                name: "token",
                label: "Token",
                type: "password",
                required: true,
                pattern: TOKEN_PATTERN,
                title: "The token as @BotFather shows it: digits, a colon, and at least 30 characters",
                hint: "From @BotFather. It is stored encrypted and never shown again"
              })}
              <p>
                <label><input type="checkbox" name="takeover" value="1" /> Take over the bot from another system</label>
              </p>
              <div class="row"><button class="first" type="submit">Attach the bot</button></div>
            </form>
          </section>
          <section class="card" aria-labelledby="managed">
            <h2 id="managed">With a link</h2>
            <p>If you have no bot yet, make a link. The person who opens it in Telegram creates the bot and owns it.</p>
            <form class="stack" method="post" action="${BOTS_PATH}/managed">
              ${csrf}
              <div class="field">
                <label for="m-app">App</label>
                <input id="m-app" name="app" value="${query.get("app") ?? ""}" required maxlength="100" />
              </div>
              <div class="field">
                <label for="m-character">Character</label>
                <input
                  id="m-character"
                  name="character"
                  value="${query.get("character") ?? ""}"
                  required
                  maxlength="100"
                />
              </div>
              <div class="row"><button type="submit">Make a link</button></div>
            </form>
          </section>
        </div>`
      })
  )

  action(
    { path: `${BOTS_PATH}/attach`, operationId: "attachBotInConsole", summary: "Attach a bot with its token" },
    ({ baseUrl }, form) =>
      Effect.gen(function* () {
        const token = yield* readToken((form.get("token") ?? "").trim())
        const asked = BotCreate.safeParse({
          mode: "byo",
          token: (form.get("token") ?? "").trim(),
          character_slug: (form.get("character") ?? "").trim()
        })
        if (!asked.success || asked.data.mode !== "byo")
          return yield* validationError("character: Enter the slug of a character.")
        const body = asked.data
        const appId = (form.get("app") ?? "").trim()
        if ((yield* Apps.use((apps) => apps.get(appId))) === undefined) return yield* appNotFound
        yield* checkCharacter(appId, body.character_slug)
        const hooksAt = `${baseUrl}${HOOKS_PATH}`
        const registrar = yield* WebhookRegistrar
        const identity = yield* registrar.identify(token).pipe(askTelegram)
        if (form.get("takeover") !== "1") yield* registrar.checkFree(token, hooksAt).pipe(askTelegram)
        const create = BotRows.use((rows) =>
          rows.create(appId, {
            ...identity,
            channelId: newId("bot"),
            characterSlug: body.character_slug,
            token,
            hooksAt,
            joinWindowMs: body.join_window_ms,
            drafts: body.drafts,
            unknownPolicy: body.unknown_policy
          })
        )
        const bot = yield* Audit.use((audit) =>
          audit.changing(create, ({ channel_id, username }) => ({
            appId,
            action: "bot.attached",
            subject: channel_id,
            detail: { username, character_slug: body.character_slug, took_over: form.get("takeover") === "1" }
          }))
        ).pipe(Effect.catchTag("BotTaken", () => Effect.fail(telegramBotTaken)))
        const { channel_id, username, status } = yield* setUpBot(bot, hooksAt, false)
        return done(
          `${BOTS_PATH}/${channel_id}`,
          `@${username ?? channel_id} is attached. It is ${botStateName(status)}.`
        )
      }),
    () => `${BOTS_PATH}/attach`
  )

  action(
    { path: `${BOTS_PATH}/managed`, operationId: "linkBotInConsole", summary: "Make a link that creates a bot" },
    ({ baseUrl, nowMs }, form) =>
      Effect.gen(function* () {
        const asked = BotCreate.safeParse({ mode: "managed", character_slug: (form.get("character") ?? "").trim() })
        if (!asked.success || asked.data.mode !== "managed")
          return yield* validationError("character: Enter the slug of a character.")
        const appId = (form.get("app") ?? "").trim()
        if ((yield* Apps.use((apps) => apps.get(appId))) === undefined) return yield* appNotFound
        const create = yield* prepareManagedBot(appId, asked.data, `${baseUrl}${HOOKS_PATH}`)
        const { bot, link } = yield* Audit.use((audit) =>
          audit.changing(create, (made) => ({
            appId,
            action: "bot.link_created",
            subject: made.bot.channel_id,
            detail: { character_slug: asked.data.character_slug }
          }))
        )
        return {
          section: BOTS_PATH,
          above: { url: BOTS_PATH, name: "Bots" },
          title: "A link that creates a bot",
          body: html`<section class="card">
            <p>
              Open it in Telegram, or scan the code with a phone. The person who opens it creates the bot and owns it.
              The link works once, and expires ${when(link.expires_at, nowMs)}. It is not shown again.
            </p>
            <p><a class="mono" href="${link.url}" rel="noreferrer">${link.url}</a></p>
            <p><img class="qr" src="${link.qr}" alt="QR code of the link" width="192" height="192" /></p>
            <p><a class="button" href="${BOTS_PATH}/${bot.channel_id}">See the bot</a></p>
          </section>`
        }
      }),
    () => `${BOTS_PATH}/attach`
  )
}
