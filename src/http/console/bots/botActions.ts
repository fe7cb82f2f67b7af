import * as Effect from "effect/Effect"
import { HOOKS_PATH } from "#channels/telegram/hooksPath.ts"
import { Audit } from "#src/db/operators/Audit.ts"
import type { AuditAction } from "#src/db/tenancy/auditLog.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import { RESUMPTION, suspension } from "#src/db/telegram/bots/botStatus.ts"
import type { BotStatus, StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { Probe } from "#src/jobs/telegram/Probe.ts"
import { findAnyBot } from "#src/http/operators/operatorBotRoutes.ts"
import { botNotFound, botStatusConflict } from "#src/http/telegram/telegramErrors.ts"
import { registerWebhook } from "#src/http/telegram/telegramBot.ts"
import type { HandlerError } from "#src/http/server/bridge.ts"
import type { HandlerServices } from "#src/http/server/Server.ts"
import { type Console, done } from "../console.ts"
import { BOTS_PATH } from "./botQuery.ts"
import { botReason, botStateName } from "./botStates.ts"

const load = Effect.fnUntraced(function* (botId: string) {
  const { app_id } = yield* findAnyBot(botId)
  return (yield* BotRows.use((rows) => rows.get(app_id, botId))) ?? (yield* botNotFound)
})

const loadIn = Effect.fnUntraced(function* (botId: string, statuses: ReadonlyArray<BotStatus>) {
  const bot = yield* load(botId)
  return statuses.includes(bot.status) ? bot : yield* botStatusConflict(bot.status)
})

/** Records what is done to a bot, with what it was before. */
const recording =
  (action: AuditAction, { app_id: appId, channel_id: subject, status }: StoredBot) =>
  <A, E, R>(change: Effect.Effect<A, E, R>) =>
    Audit.use((audit) => audit.changing(change, () => ({ action, appId, subject, detail: { before: { status } } })))

const nameOf = ({ username, channel_id }: StoredBot) => (username === null ? channel_id : `@${username}`)
const stateOf = ({ status, reason }: StoredBot) =>
  `${botStateName(status)}${reason === null ? "" : `: ${botReason(reason)}`}`

/** What the buttons of one bot do. */
export const botActions = ({ action }: Console): void => {
  const suspend = Effect.fnUntraced(function* (botId: string) {
    const bot = yield* loadIn(botId, ["pending", "active", "degraded", "suspended"])
    yield* recording(
      "bot.suspended",
      bot
    )(BotRows.use((rows) => rows.changeStatus(bot.app_id, bot.channel_id, suspension(bot.channel_id))))
    return `${nameOf(bot)} is suspended. What people write to it is kept.`
  })
  const resume = Effect.fnUntraced(function* (botId: string, baseUrl: string) {
    const bot = yield* loadIn(botId, ["pending", "active", "degraded", "suspended"])
    yield* recording(
      "bot.resumed",
      bot
    )(BotRows.use((rows) => rows.changeStatus(bot.app_id, bot.channel_id, RESUMPTION)))
    const resumed = yield* registerWebhook(yield* load(botId), `${baseUrl}${HOOKS_PATH}`, false)
    return `${nameOf(resumed)} continues where it stopped. It is ${stateOf(resumed)}.`
  })
  const probe = Effect.fnUntraced(function* (botId: string) {
    const bot = yield* loadIn(botId, ["pending", "active", "degraded", "revoked"])
    yield* Probe.use((probe) => probe.probe(bot))
    yield* recording("bot.probed", bot)(Effect.void)
    return `Telegram was asked. ${nameOf(bot)} is ${stateOf(yield* load(botId))}.`
  })
  const rotate = Effect.fnUntraced(function* (botId: string, baseUrl: string) {
    const bot = yield* loadIn(botId, ["pending", "active", "degraded"])
    const rotated = yield* registerWebhook(bot, `${baseUrl}${HOOKS_PATH}`, false)
    yield* recording("bot.secret_rotated", bot)(Effect.void)
    return `${nameOf(rotated)} has a new webhook secret. The old one is valid for ten more minutes.`
  })

  const act = (
    name: string,
    operationId: string,
    summary: string,
    run: (botId: string, baseUrl: string) => Effect.Effect<string, HandlerError, HandlerServices>
  ) =>
    action(
      { path: `${BOTS_PATH}/:bot_id/${name}`, operationId, summary },
      ({ params, baseUrl }) =>
        Effect.map(run(params["bot_id"] ?? "", baseUrl), (text) => done(`${BOTS_PATH}/${params["bot_id"]}`, text)),
      ({ params }) => `${BOTS_PATH}/${params["bot_id"]}`
    )

  act("suspend", "suspendBotInConsole", "Suspend a bot", suspend)
  act("resume", "resumeBotInConsole", "Resume a bot", resume)
  act("probe", "probeBotInConsole", "Ask Telegram about a bot", probe)
  act("rotate", "rotateBotInConsole", "Give a bot a new webhook secret", rotate)
}
