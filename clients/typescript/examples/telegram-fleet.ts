// Attaches a Telegram bot to each character: fleet.json is [{"token": "...", "character_slug": "..."}, ...].
// It may be run again: a bot that is attached already keeps its conversations, and its item says so.
import { readFileSync } from "node:fs"
import { Troupe } from "@troupe/client"

const { TROUPE_URL = "http://127.0.0.1:8080", TROUPE_KEY = "" } = process.env
const troupe = new Troupe({ baseUrl: TROUPE_URL, apiKey: TROUPE_KEY })
const bots = JSON.parse(readFileSync(process.argv[2] ?? "fleet.json", "utf8")) as Array<{
  token: string
  character_slug: string
}>

let batch = await troupe.telegram.batches.create({ action: "attach", bots })
while (batch.status === "running") {
  await new Promise((resolve) => setTimeout(resolve, 500))
  batch = await troupe.telegram.batches.get(batch.id)
}
for await (const { place, status, error_code, bot } of troupe.telegram.batches.items(batch.id)) {
  const name = bot?.username === undefined || bot.username === null ? "" : `@${bot.username}`
  console.log(JSON.stringify({ character: bots[place - 1]?.character_slug, status, bot: name, error: error_code }))
}
process.exitCode = batch.failed === 0 ? 0 : 1
