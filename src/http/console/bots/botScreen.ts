import * as Effect from "effect/Effect"
import { DeliveryAttempts } from "#src/db/operators/DeliveryAttempts.ts"
import type { FleetBot } from "#src/db/operators/FleetBots.ts"
import { Health } from "#src/db/operators/Health.ts"
import { type BotStatistics, ChatRows } from "#src/db/telegram/ChatRows.ts"
import { findAnyBot } from "#src/http/operators/operatorBotRoutes.ts"
import { type Html, html } from "#src/http/server/page.ts"
import type { Problem } from "#src/health/Problem.ts"
import type { Console } from "../console.ts"
import { attemptsTable } from "../deliveries/attemptsTable.ts"
import { anyAttempt } from "../deliveries/attemptQuery.ts"
import { count, counted, duration, when } from "../figures.ts"
import { post } from "../form.ts"
import { attentionFeed } from "../overview/attentionFeed.ts"
import { namesOf } from "#src/http/operators/problemNames.ts"
import type { Visit } from "../Screen.ts"
import { BOTS_PATH } from "./botQuery.ts"
import { botReason, sendingState } from "./botStates.ts"

const SHOWN_DELIVERIES = 10

const waits = (seconds: number | null) => (seconds === null ? "nothing waits" : duration(seconds * 1000))

const evidence = (bot: FleetBot, figures: BotStatistics, nowMs: number): Html =>
  html`<section class="card" aria-labelledby="evidence">
    <h2 id="evidence">Evidence</h2>
    <dl class="figures">
      <div><dt>Last message in</dt><dd>${when(bot.last_in_at, nowMs)}</dd></div>
      <div><dt>Last message out</dt><dd>${when(bot.last_out_at, nowMs)}</dd></div>
      <div><dt>Waits to be answered</dt><dd>${waits(bot.inbound_lag)}</dd></div>
      <div><dt>Waits to be sent</dt><dd>${waits(bot.outbound_lag)}</dd></div>
      <div><dt>Updates at Telegram</dt><dd>${count(bot.health.pending_update_count ?? 0)}</dd></div>
      <div><dt>Checked with Telegram</dt><dd>${when(bot.health.probed_at ?? null, nowMs)}</dd></div>
      <div><dt>Chats</dt>
        <dd>${count(figures.chats)} <span class="small">${count(figures.blocked_chats)} blocked</span></dd></div>
      <div><dt>Unknown, last 24 h</dt><dd>${count(figures.unknown_24h)}</dd></div>
      <div><dt>Refused, last 24 h</dt><dd>${count(figures.rejected_24h)}</dd></div>
      <div>
        <dt>Time to send, p50 / p95</dt>
        <dd>${
          figures.latency_p50_ms === null
            ? "–"
            : `${duration(figures.latency_p50_ms)} / ${duration(figures.latency_p95_ms ?? 0)}`
        }</dd>
      </div>
    </dl>
    ${
      bot.health.last_error_message === undefined
        ? null
        : html`<p>
            <strong>Telegram's last error</strong>
            <span class="soft">${when(bot.health.last_error_at ?? null, nowMs, "at an unknown time")}</span><br />
            <bdi>${bot.health.last_error_message}</bdi>
          </p>`
    }
  </section>`

const facts = (bot: FleetBot, nowMs: number): Html =>
  html`<section class="card" aria-labelledby="facts">
    <h2 id="facts">About this bot</h2>
    <dl class="facts">
      <dt>App</dt><dd><a href="/console/apps/${bot.app_id}"><bdi>${bot.app_name}</bdi></a></dd>
      <dt>Character</dt><dd><bdi>${bot.character_slug}</bdi></dd>
      <dt>Attached</dt>
        <dd>${bot.mode === "byo" ? "with its token" : "as a managed bot"}, ${when(bot.created_at, nowMs)}</dd>
      <dt>Token</dt><dd class="mono">${bot.token_hint ?? "none"}</dd>
      <dt>Webhook set</dt><dd>${when(bot.webhook_set_at, nowMs)}</dd>
      ${
        bot.username === null
          ? null
          : html`<dt>In Telegram</dt>
            <dd><a href="https://t.me/${bot.username}" rel="noreferrer">t.me/${bot.username}</a></dd>`
      }
      <dt>Id</dt><dd class="id">${bot.bot_id}</dd>
    </dl>
  </section>`

const can = {
  suspend: (bot: FleetBot) => ["pending", "active", "degraded"].includes(bot.status),
  resume: (bot: FleetBot) => bot.status === "suspended",
  probe: (bot: FleetBot) => ["pending", "active", "degraded", "revoked"].includes(bot.status),
  rotate: (bot: FleetBot) => ["pending", "active", "degraded"].includes(bot.status),
  takeBack: (bot: FleetBot) => bot.status === "degraded" && bot.reason === "webhook_hijacked"
}

/** Where a new token comes from: of a managed bot from Telegram, of any other from @BotFather by hand. */
const tokenAction = (bot: FleetBot, url: string, csrf: Html): Html | null => {
  const isRevoked = bot.status === "revoked"
  if (bot.mode === "byo")
    return html`<a class="button ${isRevoked ? "first" : ""}" href="${url}/token">Set a new token…</a>`
  return isRevoked ? post({ action: `${url}/rotate-token`, csrf, label: "Get the token again", tone: "first" }) : null
}

const actions = (bot: FleetBot, { csrf, acts }: Visit): Html | null => {
  if (!acts) return null
  const url = `${BOTS_PATH}/${bot.bot_id}`
  return html`${
    can.takeBack(bot) ? post({ action: `${url}/rotate`, csrf, label: "Take the bot back", tone: "first" }) : null
  }
  ${tokenAction(bot, url, csrf)}
  ${can.probe(bot) ? post({ action: `${url}/probe`, csrf, label: "Ask Telegram now" }) : null}
  ${can.rotate(bot) && !can.takeBack(bot) ? post({ action: `${url}/rotate`, csrf, label: "New webhook secret" }) : null}
  ${can.resume(bot) ? post({ action: `${url}/resume`, csrf, label: "Resume", tone: "first" }) : null}
  ${can.suspend(bot) ? html`<a class="button danger" href="${url}/suspend">Suspend…</a>` : null}`
}

const concerns = (bot: FleetBot) => (problem: Problem) =>
  problem.subject.bot_id === bot.bot_id || problem.subject.channel_id === bot.bot_id

const title = ({ username, bot_id }: FleetBot) => (username === null ? bot_id : `@${username}`)

/** One bot: what is wrong with it, the evidence, and what can be done. */
export const botScreen = ({ screen }: Console): void => {
  screen({ path: `${BOTS_PATH}/:bot_id`, operationId: "showBot", summary: "The screen of a bot" }, (visit) =>
    Effect.gen(function* () {
      const { nowMs, params } = visit
      const bot = yield* findAnyBot(params["bot_id"] ?? "")
      const [figures, { problems }, failed] = yield* Effect.all(
        [
          ChatRows.use((chats) => chats.statistics(bot.app_id, bot.bot_id)),
          Health.use((health) => health.ofApp(bot.app_id)),
          DeliveryAttempts.use((attempts) =>
            attempts.search(
              { ...anyAttempt, state: "failed", channelId: bot.bot_id, appId: bot.app_id },
              { after: null, limit: SHOWN_DELIVERIES, by: "delivery" }
            )
          )
        ],
        { concurrency: 3 }
      )
      const own = problems.filter(concerns(bot))
      return {
        section: BOTS_PATH,
        above: { url: BOTS_PATH, name: "Bots" },
        title: title(bot),
        actions: actions(bot, visit) ?? html``,
        live: html`<p class="row">
            ${sendingState(bot)}${bot.held ? html`<span class="soft">on hold by an operator</span>` : null}
            <span class="soft">${botReason(bot.reason)}</span>
          </p>
          ${attentionFeed(own, { nowMs, names: yield* namesOf(own), here: visit.path })}
          <div class="split">
            <div class="stack">
              ${evidence(bot, figures, nowMs)}
              <section class="card flush" aria-labelledby="errors">
                <h2 id="errors">Deliveries that failed</h2>
                ${attemptsTable({
                  rows: failed.rows,
                  by: "delivery",
                  nowMs,
                  empty: html`<p>No delivery of this bot has failed.</p>`,
                  names: null
                })}
                <p class="pages">
                  <a href="/console/deliveries?channel=${bot.bot_id}&amp;state=any">All its deliveries</a>
                </p>
              </section>
            </div>
            <div class="stack">
              ${facts(bot, nowMs)}
              <p><a href="/console/audit?subject=${bot.bot_id}">Who did what to this bot</a></p>
            </div>
          </div>`
      }
    })
  )

  screen(
    {
      path: `${BOTS_PATH}/:bot_id/suspend`,
      role: "operator",
      operationId: "confirmSuspendBot",
      summary: "Say what the suspension of a bot does"
    },
    ({ csrf, params }) =>
      Effect.gen(function* () {
        const bot = yield* findAnyBot(params["bot_id"] ?? "")
        const { chats } = yield* ChatRows.use((rows) => rows.statistics(bot.app_id, bot.bot_id))
        const url = `${BOTS_PATH}/${bot.bot_id}`
        return {
          section: BOTS_PATH,
          above: { url, name: title(bot) },
          title: `Suspend ${title(bot)}?`,
          body: html`<section class="card">
            <p>
              The bot stops answering in ${counted(chats, "chat")}. New messages are kept, and answered when you resume
              the bot. Nothing is deleted.
            </p>
            <div class="row">
              ${post({ action: `${url}/suspend`, csrf, label: "Suspend the bot", tone: "danger first" })}
              <a class="button" href="${url}">Keep it running</a>
            </div>
          </section>`
        }
      })
  )
}
