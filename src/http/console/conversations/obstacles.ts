import * as Effect from "effect/Effect"
import { Allowances, type EndUserAllowance } from "#src/db/billing/Allowances.ts"
import { Health } from "#src/db/operators/Health.ts"
import { type FoundSession, type SessionChat, SessionSearch } from "#src/db/operators/SessionSearch.ts"
import { EndUsers } from "#src/db/privacy/EndUsers.ts"
import type { ProblemKind } from "#src/health/Problem.ts"
import { namesOf } from "#src/http/operators/problemNames.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { botStateName } from "../bots/botStates.ts"
import { counted, usd } from "../figures.ts"
import { attentionFeed } from "../overview/attentionFeed.ts"
import type { Visit } from "../Screen.ts"

/** Problems of the app or the server because of which nobody gets a reply. */
const OF_EVERYBODY: ReadonlySet<ProblemKind> = new Set([
  "database_unreachable",
  "database_standby",
  "no_worker",
  "queue_lag",
  "model_failing",
  "budget_spent",
  "app_suspended",
  "bots_on_hold",
  "deliveries_on_hold"
])

const CHATS: Readonly<Record<Exclude<SessionChat["chat_status"], "active">, string>> = {
  blocked: "The person has blocked the bot in Telegram.",
  unreachable: "Telegram does not let the bot write to this chat.",
  closed: "The chat does not exist any more."
}

const capText = ({ effective, ...used }: EndUserAllowance): string | null => {
  const reached = (limit: number | null, so_far: number): limit is number => limit !== null && so_far >= limit
  const { daily_message_limit: messages, daily_limit_micro_usd: day, monthly_limit_micro_usd: month } = effective
  if (reached(messages, used.day_messages))
    return `The person has used up the ${counted(messages, "message")} that they may send today.`
  if (reached(day, used.day_used_micro_usd)) return `The person has used up their ${usd(day)} of today.`
  return reached(month, used.month_used_micro_usd) ? `The person has used up their ${usd(month)} of this month.` : null
}

/** The bot through which this conversation takes place. Null: none. */
export const botOf = ({ bot_id, username }: SessionChat): Html =>
  html`<a href="/console/bots/${bot_id}"><bdi>${username === null ? bot_id : `@${username}`}</bdi></a>`

/** Why the person in a conversation may get no reply, as far as that is known without reading it. */
export const obstacles = Effect.fnUntraced(function* (session: FoundSession, { nowMs, path }: Visit) {
  const { app_id: appId, session_id: sessionId, external_user_ref: person } = session
  const [chat, allowance, endUser, { problems }] = yield* Effect.all(
    [
      SessionSearch.use((sessions) => sessions.chatOf(appId, sessionId)),
      Allowances.use((allowances) => allowances.ofEndUser(appId, person)),
      EndUsers.use((people) => people.get(appId, person)),
      Health.use((health) => health.ofApp(appId))
    ],
    { concurrency: 2 }
  )
  const concerning = problems.filter(
    ({ kind, subject }) =>
      OF_EVERYBODY.has(kind) || subject.session_id === sessionId || subject.bot_id === (chat?.bot_id ?? "")
  )
  const texts = [
    ...(endUser?.blocked === true ? [html`The app has blocked this person.`] : []),
    ...(allowance === undefined ? [] : [capText(allowance)]),
    ...(chat === undefined || chat.chat_status === "active" ? [] : [CHATS[chat.chat_status]]),
    ...(chat === undefined || chat.bot_status === "active"
      ? []
      : [html`The bot ${botOf(chat)} is ${botStateName(chat.bot_status)}.`])
  ].filter((text) => text !== null)
  return {
    chat,
    shown: html`${
      texts.length === 0
        ? null
        : html`<section class="card" aria-labelledby="obstacles">
            <h2 id="obstacles">Why there may be no reply</h2>
            <ul class="plain">
              ${texts.map((text) => html`<li>${text}</li>`)}
            </ul>
          </section>`
    }
    ${attentionFeed(concerning, { nowMs, names: yield* namesOf(concerning), here: path })}`
  }
})
