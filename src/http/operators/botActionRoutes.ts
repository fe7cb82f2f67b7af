import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as z from "zod"
import type { AuditAction } from "#src/db/tenancy/auditLog.ts"
import { ActionLog } from "#src/db/operators/ActionLog.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import { type BotAction, BotActions } from "#src/jobs/telegram/BotActions.ts"
import { success } from "#src/http/server/envelope.ts"
import { answers, written } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { text } from "#src/http/server/schemas/text.ts"
import { botNotManaged, botStatusConflict, profileRejected, telegramBusy } from "#src/http/telegram/telegramErrors.ts"
import { askTelegram } from "#src/http/telegram/telegramBot.ts"
import { ACTS } from "./access.ts"
import { findAnyBot, toFleetBot } from "./operatorBotRoutes.ts"
import { FleetBotData } from "./operatorBotSchemas.ts"
import { anyBotNotFound } from "./operatorErrors.ts"

/** The operator's words, for the audit log. */
export const Reason = z.object({
  reason: text(1, 200).nullable().optional().meta({ description: "Kept in the audit log" })
})

/** The path of each action, what it does, and its name in the audit log. */
const ACTIONS: Readonly<Record<BotAction, { path: string; summary: string; id: string; audited: AuditAction }>> = {
  suspend: {
    path: "suspend",
    summary: "Suspend a bot of any app. Only the operator can resume it. Nothing is lost",
    id: "suspendFleetBot",
    audited: "bot.suspended"
  },
  resume: {
    path: "resume",
    summary: "Resume a suspended bot of any app from where it stopped",
    id: "resumeFleetBot",
    audited: "bot.resumed"
  },
  probe: {
    path: "probe",
    summary: "Check the status of a bot of any app with Telegram now",
    id: "probeFleetBot",
    audited: "bot.probed"
  },
  rotate_secret: {
    path: "rotate-secret",
    summary: "Rotate the webhook secret of a bot of any app. The old one stays valid for ten minutes",
    id: "rotateFleetBotSecret",
    audited: "bot.secret_rotated"
  },
  rotate_token: {
    path: "rotate-token",
    summary: "Rotate the token of a managed bot of any app. The old one stops working immediately",
    id: "rotateFleetBotToken",
    audited: "bot.token_rotated"
  },
  rebrand: {
    path: "rebrand",
    summary: "Update the name, texts, commands and picture of a bot from its character",
    id: "rebrandFleetBot",
    audited: "bot.rebranded"
  }
}

/**
 * Does it. Its entry has the status before and after the first change: a bot that is resumed is pending until Telegram
 * has its webhook, which may fail.
 */
export const actOnBot = Effect.fnUntraced(function* (action: BotAction, botId: string, reason: string | null) {
  const { app_id: appId, status } = yield* findAnyBot(botId)
  const rows = yield* BotRows
  const bot = (yield* rows.get(appId, botId)) ?? (yield* anyBotNotFound)
  const requestedAt = DateTime.toDateUtc(yield* DateTime.now)
  const audit = yield* ActionLog
  const record = Effect.flatMap(rows.get(appId, botId), (now) =>
    audit.note({
      appId,
      action: ACTIONS[action].audited,
      subject: botId,
      detail: { reason, before: { status }, after: { status: now?.status ?? status } }
    })
  )
  yield* askTelegram(
    BotActions.use((actions) => actions.perform({ action, bot, dryRun: false, requestedAt, byOperator: true, record }))
  ).pipe(
    Effect.catchTags({
      ActionRefused: ({ reason: why }) =>
        Effect.fail(
          why === "bot_not_managed"
            ? botNotManaged
            : why === "bot_status_conflict"
              ? botStatusConflict(status)
              : profileRejected(why)
        ),
      ActionWaits: ({ seconds }) => Effect.fail(telegramBusy(seconds))
    })
  )
  return yield* findAnyBot(botId)
})

/** Actions on one bot of any app. */
export const botActionRoutes: Routes = ({ app, answer }) => {
  for (const [action, { path, summary, id }] of Object.entries(ACTIONS) as ReadonlyArray<
    [BotAction, (typeof ACTIONS)[BotAction]]
  >)
    app.post(
      `/admin/bots/:bot_id/${path}`,
      {
        config: { auth: ACTS, writes: true },
        schema: {
          operationId: id,
          summary,
          params: z.object({ bot_id: z.string() }),
          body: Reason.optional(),
          response: answers(
            FleetBotData.extend(written),
            "bot_not_found",
            "bot_not_managed",
            "bot_status_conflict",
            "managed_bots_unavailable",
            "telegram_profile_rejected",
            "telegram_webhook_foreign",
            "telegram_token_invalid",
            "upstream_failed"
          )
        }
      },
      (request, reply) =>
        answer(
          request,
          reply,
          Effect.map(actOnBot(action, request.params.bot_id, request.body?.reason ?? null), (bot) =>
            success(toFleetBot(bot))
          )
        )
    )
}
