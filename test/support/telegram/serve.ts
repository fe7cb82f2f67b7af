import { startFakeTelegram } from "./FakeTelegram.ts"

/** The fake as a separate program, with the phone in the browser: `PORT=8081 node test/support/telegram/serve.ts`. */
const telegram = await startFakeTelegram({
  port: Number(process.env["PORT"] ?? 8_081),
  takesAnyWebhookUrl: true,
  hasSimulator: true
})
process.stdout.write(`Bot API ${telegram.url}\nphone   ${telegram.url}/_sim/\n`)
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void telegram.close())
