import type { BotEvidence } from "./Evidence.ts"
import { AFTER_MS } from "./limits.ts"
import { appStep, iso, type NextStep, type Problem, type ProblemKind, type Severity } from "./Problem.ts"

interface Finding {
  readonly kind: ProblemKind
  readonly severity: Severity
  readonly since: Date
  readonly cause: string
  readonly next_step: NextStep
}

const path = ({ channel_id }: BotEvidence, action = "") => `/v1/telegram/bots/${channel_id}${action}`

const probe = (bot: BotEvidence) => appStep("POST", path(bot, "/probe"), "Ask Telegram about the bot's webhook now")

/** What a bot's reason to be degraded says. */
const degraded = (bot: BotEvidence): Finding => {
  const found = { severity: "critical", since: bot.status_since } as const
  switch (bot.reason) {
    case "webhook_hijacked":
      return {
        ...found,
        kind: "bot_conflict",
        cause: "Another system has set the bot's webhook, so its messages go there",
        next_step: appStep(
          "POST",
          path(bot, "/rotate-secret"),
          "Remove the bot from the other system, then set the webhook again"
        )
      }
    case "conflict":
      return {
        ...found,
        kind: "bot_conflict",
        cause: "Another program polls the bot with the same token, so each gets some of its messages",
        next_step: appStep("POST", path(bot, "/probe"), "Stop the other program, then check the bot")
      }
    case "webhook_failing":
      return {
        ...found,
        kind: "bot_deaf",
        cause: "Telegram cannot deliver the bot's messages to its webhook",
        next_step: probe(bot)
      }
    case "frozen":
      return {
        ...found,
        kind: "bot_degraded",
        cause: "Telegram has frozen the bot: it can send nothing",
        next_step: appStep("GET", path(bot), "As the bot's owner, appeal to Telegram through @SpamBot")
      }
    default:
      return {
        ...found,
        kind: "bot_degraded",
        severity: "warning",
        cause:
          bot.reason === "profile_incomplete"
            ? "Telegram has not accepted the bot's name, picture or commands yet"
            : `The bot is degraded: ${bot.reason ?? "no reason is known"}`,
        next_step: probe(bot)
      }
  }
}

const find = (bot: BotEvidence, now: Date): Finding | null => {
  if (bot.status === "revoked")
    return {
      kind: "bot_revoked",
      severity: "critical",
      since: bot.status_since,
      cause: "Telegram rejects the bot's token: it was revoked in @BotFather, or the bot was deleted",
      next_step:
        bot.mode === "managed"
          ? appStep("POST", path(bot, "/rotate-token"), "Get the bot's token again from Telegram")
          : appStep("PATCH", path(bot), "Set the bot's new token")
    }
  if (bot.status === "pending")
    return now.getTime() - bot.status_since.getTime() < AFTER_MS.botPending
      ? null
      : {
          kind: "bot_pending",
          severity: "warning",
          since: bot.status_since,
          cause: "The bot's webhook could not be set: Telegram does not answer, or does not accept PUBLIC_URL",
          next_step: probe(bot)
        }
  if (bot.status === "degraded") return degraded(bot)
  const since = bot.updates_waiting_since
  const hasHeard = since !== null && bot.last_in_at !== null && bot.last_in_at > since
  return bot.status === "active" && since !== null && !hasHeard && now.getTime() - since.getTime() >= AFTER_MS.botDeaf
    ? {
        kind: "bot_deaf",
        severity: "critical",
        since,
        cause: "Telegram has messages for the bot, but none of them arrives here",
        next_step: probe(bot)
      }
    : null
}

/** What is wrong with a bot, if anything. */
export const botProblems = (bot: BotEvidence, now: Date): ReadonlyArray<Problem> => {
  const found = find(bot, now)
  if (found === null) return []
  const { kind, severity, since, cause, next_step } = found
  return [
    {
      kind,
      severity,
      subject: { app_id: bot.app_id, bot_id: bot.channel_id },
      since: iso(since),
      count: 1,
      reach: bot.reach,
      evidence: {
        username: bot.username,
        status: bot.status,
        reason: bot.reason,
        last_in_at: iso(bot.last_in_at),
        last_out_at: iso(bot.last_out_at),
        probed_at: bot.probed_at,
        updates_waiting: bot.updates_waiting,
        last_error_message: bot.last_error_message
      },
      cause,
      next_step
    }
  ]
}
