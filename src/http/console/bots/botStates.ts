import type { BotStatus } from "#src/db/telegram/bots/StoredBot.ts"
import type { FleetBot } from "#src/db/operators/FleetBots.ts"
import type { Html } from "#src/http/server/page.ts"
import { activeState } from "../activeState.ts"
import { tag, type Tone } from "../icons.ts"

const STATES: Readonly<Record<BotStatus, readonly [Tone, string]>> = {
  awaiting_creation: ["info", "not created yet"],
  pending: ["warn", "being set up"],
  active: ["good", "active"],
  degraded: ["warn", "degraded"],
  suspended: ["info", "suspended"],
  revoked: ["bad", "revoked"],
  detached: ["none", "detached"]
}

export const botState = (status: BotStatus): Html => tag(...STATES[status])
/** With what fails to be sent: a bot is active as long as Telegram accepts its token. */
export const sendingState = ({ status, consecutive_failures: failures }: FleetBot): Html =>
  status === "active" ? activeState(failures) : botState(status)
export const botStateName = (status: BotStatus): string => STATES[status][1]

const REASONS: Readonly<Record<string, string>> = {
  webhook_hijacked: "another system has set its webhook",
  conflict: "another program polls it",
  webhook_failing: "Telegram cannot reach its webhook",
  frozen: "frozen by Telegram",
  profile_incomplete: "its profile is not complete"
}
export const botReason = (reason: string | null): string =>
  reason === null ? "" : (REASONS[reason] ?? reason.replaceAll("_", " "))
