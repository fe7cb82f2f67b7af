import { defineCommand, runMain } from "citty"
import { VERSION } from "#pipeline/domain/version.ts"
import { app } from "./commands/appCommand.ts"
import { bot } from "./commands/botCommand.ts"
import { backup, restore, resumeDeliveries, verify } from "./commands/backupCommand.ts"
import { character } from "./commands/characterCommand.ts"
import { chat } from "./commands/chatCommand.ts"
import { doctor } from "./commands/doctorCommand.ts"
import { delivery } from "./commands/deliveryCommand.ts"
import { evals } from "./commands/evalCommand.ts"
import { consoleLink } from "./commands/consoleCommand.ts"
import { events } from "./commands/eventsCommand.ts"
import { key } from "./commands/keyCommand.ts"
import { ledger } from "./commands/ledgerCommand.ts"
import { migrate } from "./commands/migrateCommand.ts"
import { operator } from "./commands/operatorCommand.ts"
import { rebuild } from "./commands/rebuildCommand.ts"
import { secrets } from "./commands/secretsCommand.ts"
import { serve } from "./commands/serveCommand.ts"
import { status, top } from "./commands/statusCommand.ts"
import { telegram } from "./commands/telegramCommand.ts"
import { webhooks } from "./commands/webhooksCommand.ts"

await runMain(
  defineCommand({
    meta: { name: "troupe", version: VERSION, description: "A messenger-delivery-centric gateway for AI characters" },
    subCommands: {
      serve,
      doctor,
      migrate,
      backup,
      verify,
      restore,
      "resume-deliveries": resumeDeliveries,
      console: consoleLink,
      operator,
      status,
      top,
      app,
      bot,
      delivery,
      key,
      ledger,
      rebuild,
      telegram,
      secrets,
      chat,
      eval: evals,
      character,
      events,
      webhooks
    }
  })
)
