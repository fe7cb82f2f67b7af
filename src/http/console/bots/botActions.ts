import * as Effect from "effect/Effect"
import type { FleetBot } from "#src/db/operators/FleetBots.ts"
import type { BotAction } from "#src/jobs/telegram/BotActions.ts"
import { actOnBot } from "#src/http/operators/botActionRoutes.ts"
import { type Console, done } from "../console.ts"
import { BOTS_PATH } from "./botQuery.ts"
import { botReason, botStateName } from "./botStates.ts"

const nameOf = ({ username, bot_id }: FleetBot) => (username === null ? bot_id : `@${username}`)
const stateOf = ({ status, reason }: FleetBot) =>
  `${botStateName(status)}${reason === null ? "" : `: ${botReason(reason)}`}`

/** What the buttons of one bot do. */
export const botActions = ({ action }: Console): void => {
  const act = (
    { name, does }: { readonly name: string; readonly does: BotAction },
    { operationId, summary }: { readonly operationId: string; readonly summary: string },
    say: (bot: FleetBot) => string
  ) =>
    action(
      { path: `${BOTS_PATH}/:bot_id/${name}`, operationId, summary },
      ({ params }) =>
        Effect.map(actOnBot(does, params["bot_id"] ?? "", null), (bot) =>
          done(`${BOTS_PATH}/${params["bot_id"]}`, say(bot))
        ),
      ({ params }) => `${BOTS_PATH}/${params["bot_id"]}`
    )

  act(
    { name: "suspend", does: "suspend" },
    { operationId: "suspendBotInConsole", summary: "Suspend a bot" },
    (bot) => `${nameOf(bot)} is suspended. What people write to it is kept.`
  )
  act(
    { name: "resume", does: "resume" },
    { operationId: "resumeBotInConsole", summary: "Resume a bot" },
    (bot) => `${nameOf(bot)} continues where it stopped. It is ${stateOf(bot)}.`
  )
  act(
    { name: "probe", does: "probe" },
    { operationId: "probeBotInConsole", summary: "Ask Telegram about a bot" },
    (bot) => `Checked with Telegram: ${nameOf(bot)} is ${stateOf(bot)}.`
  )
  act(
    { name: "rotate", does: "rotate_secret" },
    { operationId: "rotateBotInConsole", summary: "Give a bot a new webhook secret" },
    (bot) =>
      `${nameOf(bot)} has a new webhook secret. The old one is valid for ten more minutes. It is ${stateOf(bot)}.`
  )
  act(
    { name: "rotate-token", does: "rotate_token" },
    { operationId: "rotateBotTokenInConsole", summary: "Get a new token of a managed bot" },
    (bot) => `${nameOf(bot)} has its new token. It is ${stateOf(bot)}.`
  )
}
