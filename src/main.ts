import { defineCommand, runMain } from "citty"
import { VERSION } from "#pipeline/domain/version.ts"
import { app } from "./commands/tenancy/appCommand.ts"
import { bot } from "./commands/telegram/botCommand.ts"
import { backup, erasures, restore, resumeDeliveries, verify } from "./commands/operators/backupCommand.ts"
import { character } from "./commands/character/characterCommand.ts"
import { chat } from "./commands/conversation/chatCommand.ts"
import { doctor } from "./commands/server/doctorCommand.ts"
import { delivery } from "./commands/delivery/deliveryCommand.ts"
import { evals } from "./commands/evals/evalCommand.ts"
import { consoleLink } from "./commands/operators/consoleCommand.ts"
import { events } from "./commands/conversation/eventsCommand.ts"
import { key } from "./commands/tenancy/keyCommand.ts"
import { ledger } from "./commands/billing/ledgerCommand.ts"
import { mcp } from "./commands/mcp/mcpCommand.ts"
import { migrate } from "./commands/server/migrateCommand.ts"
import { operator } from "./commands/operators/operatorCommand.ts"
import { rebuild } from "./commands/memory/rebuildCommand.ts"
import { secrets } from "./commands/server/secretsCommand.ts"
import { serve } from "./commands/server/serveCommand.ts"
import { session } from "./commands/conversation/sessionCommand.ts"
import { status, top } from "./commands/operators/statusCommand.ts"
import { refuseUnknownCommand } from "./commands/terminal/refuseUnknown.ts"
import { telegram } from "./commands/telegram/telegramCommand.ts"
import { webhooks } from "./commands/delivery/webhooksCommand.ts"

const troupe = defineCommand({
  meta: { name: "troupe", version: VERSION, description: "A messenger-delivery-centric gateway for AI characters" },
  subCommands: {
    serve,
    doctor,
    migrate,
    backup,
    verify,
    restore,
    "resume-deliveries": resumeDeliveries,
    erasures,
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
    session,
    chat,
    mcp,
    eval: evals,
    character,
    events,
    webhooks
  }
})

refuseUnknownCommand(troupe, process.argv.slice(2))
await runMain(troupe)
