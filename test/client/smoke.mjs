import { isApiError, Troupe } from "@troupe/client"
import { Webhook } from "standardwebhooks"

const { TROUPE_URL, TROUPE_KEY, CHARACTER } = process.env
const troupe = new Troupe({ baseUrl: TROUPE_URL, apiKey: TROUPE_KEY })

const session = await troupe.sessions.create({ character_slug: CHARACTER, external_user_ref: "ada" })
const turn = await troupe.sessions.say(session.id, "What is for dinner?")

const followed = []
for await (const event of troupe.sessions.follow(session.id)) {
  followed.push(event.type)
  if (event.type === "message.created" && event.role === "character") break
}
let listed = 0
for await (const one of troupe.sessions.list({ character_slug: CHARACTER, limit: 1 }))
  if (one.id === session.id) listed++

const secret = `whsec_${btoa("a secret of this test, 32 bytes!")}`
const body = JSON.stringify({ id: "evt_1", type: "channel.test" })
const now = new Date()
const signature = new Webhook(secret).sign("evt_1", now, body)
const unwrapped = troupe.webhooks.unwrap(
  body,
  {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": signature
  },
  secret
).id
const refused = await troupe.sessions.get("ses_none").catch((error) => (isApiError(error) ? error.code : String(error)))

const runtime =
  globalThis.Bun !== undefined
    ? `Bun ${Bun.version}`
    : globalThis.Deno !== undefined
      ? `Deno ${Deno.version.deno}`
      : `Node ${process.versions.node}`
console.log(JSON.stringify({ runtime, outcome: turn.outcome, followed, listed, unwrapped, refused }))
