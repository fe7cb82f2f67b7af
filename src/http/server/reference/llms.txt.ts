import { SCOPES } from "#src/accounts/scopes.ts"
import { errorList } from "#src/http/server/errorTexts.ts"

const scopeLines = Object.entries(SCOPES)
  .map(([scope, words]) => `- ${scope}: ${words}`)
  .join("\n")

/** The features that the operator has enabled. */
export interface Available {
  readonly sandbox: boolean
  /** People can sign in, and so approve a program. */
  readonly signIn: boolean
  readonly managedBots: boolean
}

const when = (on: boolean, text: string) => (on ? text : "")

/** How to set up and use this server, for agents (contract 4.10). A test runs its commands. */
export const llmsText = (baseUrl: string, { sandbox, signIn, managedBots }: Available) => `# Troupe

Troupe hosts AI characters that hold persistent, messenger-style conversations with an app's end-users.
Base address: ${baseUrl}
Machine-readable schema: ${baseUrl}/openapi.json (the authority for request and response shapes). Human docs: ${baseUrl}/docs

## Authentication
Every call under /v1 sends \`Authorization: Bearer ck_...\`, a runtime key that belongs to one app. Keep it on your server.
${signIn ? "Without a key, set up an account as below; or, on" : "Without a key: on"} the machine that runs Troupe: \`npm run -s troupe -- app create NAME\` prints {"app_id","api_key","prefix"}.
${when(signIn, "An account token (lat_...) is good for /v1/account only, a runtime key (ck_...) for everything else. ")}Never ask a person for their credentials, cookies or session${when(signIn, ": they approve you on a page of their own")}.
${when(
  sandbox,
  `
## The sandbox, to try things out
A demo key needs no account. data.api_key is shown this once; it lasts a day, and its app, which has data.character_slugs in it, no longer. data.limits says what it may do:
\`\`\`sh
curl -s -X POST ${baseUrl}/v1/demo/sandbox-key
curl -s ${baseUrl}/v1/characters -H "authorization: Bearer $DEMO_KEY"
\`\`\`
Do not fetch one key after another: an address gets a few in an hour (429 demo_sandbox_rate_limited). Webhooks, managed bots, budgets and the account plane take a key of an app of your own.
To try a client against each way in which a turn may end, send a message with the header x-sandbox-fault: generation_failed, timed_out, withhold, exit or stall. Only a demo key may.
To see a character write first without waiting for it, POST /v1/sessions/{session_id}/proactive/evaluate with {"now":"...","dry_run":false}. Only a demo key may; without dry_run: false any key is told what would be decided at that moment, and why.
`
)}${when(
  signIn,
  `
## Account set-up, from nothing to a first reply
1. Ask for a device code (20 in ten minutes for an address); scopes may be left out, for all of them:
\`\`\`sh
curl -s -X POST ${baseUrl}/v1/account/device/start -H "content-type: application/json" -d '{"client_name":"My agent","scopes":["apps:read","apps:write","keys:write"]}'
\`\`\`
2. Show the person data.verification_uri_complete, or data.verification_uri and data.user_code. They sign in, read the scopes, and approve or deny.
3. Fetch the token, every data.interval_seconds until it is there: 400 authorization_pending: go on; 429 slow_down: five seconds longer from now on; 403 access_denied and 400 expired_token: over. With data.device_code in DEVICE_CODE:
\`\`\`sh
curl -s -X POST ${baseUrl}/v1/account/device/token -H "content-type: application/json" -d '{"device_code":"'"$DEVICE_CODE"'"}'
\`\`\`
data.access_token is the account token, shown this once and good for 30 days. Both routes also speak plain RFC 8628 to OAuth clients (a form with client_id, scope, grant_type); see ${baseUrl}/.well-known/oauth-authorization-server.
4. With it in TROUPE_ACCOUNT_TOKEN, create an app, and with data.app_id in APP_ID a runtime key for it; data.api_key is shown this once:
\`\`\`sh
curl -s -X POST ${baseUrl}/v1/account/apps -H "authorization: Bearer $TROUPE_ACCOUNT_TOKEN" -H "content-type: application/json" -d '{"name":"My app"}'
curl -s -X POST ${baseUrl}/v1/account/apps/$APP_ID/api-keys -H "authorization: Bearer $TROUPE_ACCOUNT_TOKEN" -H "content-type: application/json" -d '{"name":"backend"}'
\`\`\`
5. With the key in TROUPE_KEY, make a character and talk to it; with data.id of the session in SESSION:
\`\`\`sh
curl -s -X POST ${baseUrl}/v1/characters -H "authorization: Bearer $TROUPE_KEY" -H "content-type: application/json" -d '{"slug":"mara","display_name":"Mara","voice_samples":[{"text":"Sit down, the soup is hot."}],"example_dialogues":[{"user":"What is for dinner?","character":"Leek soup, and bread if you cut it."}]}'
curl -s -X POST ${baseUrl}/v1/sessions -H "authorization: Bearer $TROUPE_KEY" -H "content-type: application/json" -d '{"character_slug":"mara","external_user_ref":"user-1"}'
curl -s -X POST ${baseUrl}/v1/sessions/$SESSION/messages -H "authorization: Bearer $TROUPE_KEY" -H "content-type: application/json" -H "idempotency-key: first-message" -d '{"text":"What is for dinner?"}'
curl -s "${baseUrl}/v1/sessions/$SESSION/events?since=2&wait=30" -H "authorization: Bearer $TROUPE_KEY"
\`\`\`
Later, with the key's prefix in PREFIX: list keys with their last use, replace one with an hour's grace, end one at once, see who changed what, and give the account token back:
\`\`\`sh
curl -s ${baseUrl}/v1/account/apps/$APP_ID/api-keys -H "authorization: Bearer $TROUPE_ACCOUNT_TOKEN"
curl -s -X POST ${baseUrl}/v1/account/apps/$APP_ID/api-keys/$PREFIX/rotate -H "authorization: Bearer $TROUPE_ACCOUNT_TOKEN" -H "content-type: application/json" -d '{"grace_seconds":3600}'
curl -s -X POST ${baseUrl}/v1/account/apps/$APP_ID/api-keys/$PREFIX/revoke -H "authorization: Bearer $TROUPE_ACCOUNT_TOKEN"
curl -s "${baseUrl}/v1/account/audit-log?app_id=$APP_ID" -H "authorization: Bearer $TROUPE_ACCOUNT_TOKEN"
curl -s -X POST ${baseUrl}/v1/account/token/revoke -H "authorization: Bearer $TROUPE_ACCOUNT_TOKEN"
\`\`\`
Scopes; a token without the one that a route takes gets 403 scope_missing:
${scopeLines}
`
)}
## A conversation
1. POST ${baseUrl}/v1/characters {"slug","display_name",...} creates a character.
2. POST ${baseUrl}/v1/sessions {"character_slug","external_user_ref"} opens a thread for one end-user; data.id is its id.
3. POST ${baseUrl}/v1/sessions/{id}/messages {"text"} answers with data.cursor. It never contains the reply. Send an Idempotency-Key, unique per logical message; the same key again returns the first answer.
4. GET ${baseUrl}/v1/sessions/{id}/events?since={cursor}&wait=30 returns data.events and data.next_cursor. Repeat with since = the highest cursor seen, across all types. Or read ${baseUrl}/v1/sessions/{id}/events/stream?since={cursor} as server-sent events.
A reply is an event of type message.created with role character; show payload.bubbles in order. message.failed with recoverable true means: the message is recorded and may be sent again, with a new Idempotency-Key. session.exited is final. character.initiated is a message that the character sends without being written to; show its payload.bubbles too. A character may also stay silent: then nothing more comes, and GET ${baseUrl}/v1/sessions/{id}/runs shows the run as withheld. Ignore event types and fields that you do not know.

## What a character knows
After a turn is answered it is read: GET ${baseUrl}/v1/sessions/{id}/memories lists what the character remembers, each with the words that bear it out; POST it {"text"} adds, PATCH and DELETE (forget) change one, POST .../memories/search {"query","as_of"?} finds. Beside it are .../open-loops, .../proactive-preferences, .../snapshots and .../relationship-scores, which is empty until PATCH ${baseUrl}/v1/apps/{app_id} {"expose_relational_numerics":true}.
GET ${baseUrl}/v1/sessions/{id}/timeline shows all that happened, ${baseUrl}/v1/runs, ${baseUrl}/v1/health and ${baseUrl}/v1/metrics how the app is doing.

## People
GET ${baseUrl}/v1/end-users/{external_user_ref} shows what is known of one, DELETE erases them. GET .../export answers 202 while everything that is kept of them is prepared, and then a ZIP: repeat it as Retry-After says.

## Webhooks
Instead of polling: POST ${baseUrl}/v1/sessions/{id}/channels {"kind":"webhook","url","events"?,"retry_schedule"?,"from"?:"start"} has the session's events pushed to an https URL, POST ${baseUrl}/v1/apps/{app_id}/channels those of every session. data.secret is shown this once: store it.
Each push is one event, as in the log, signed by Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature: verify the raw bytes of the body with a standardwebhooks library). Answer 2xx within 15 seconds. Pushes are at least once and in order within a session: tell repeats apart by x-service-event-id or x-service-cursor. Failures are tried again for three days; 410 disables the channel.
POST .../channels/{channel_id}/test pushes a channel.test event now; pause, resume and replay {"since"} are beside it; PATCH {"secret":"rotate"} answers with a new secret. GET ${baseUrl}/v1/sessions/{id}/delivery shows what became of each event.

## Telegram
POST ${baseUrl}/v1/telegram/bots {"mode":"byo","token","character_slug"} attaches a bot of yours${when(managedBots, `; {"mode":"managed","character_slug"} answers with data.link.url, by which a person creates one`)}. POST ${baseUrl}/v1/telegram/batches {"action",...} does one thing to many: attach, ${when(managedBots, "create_managed (GET .../{batch_id}/sheet is a page of QR codes to print), ")}suspend, resume, rotate_secret, ${when(managedBots, "rotate_token, ")}rebrand; GET .../{batch_id}/items tells what became of each. Each chat is a session: GET ${baseUrl}/v1/telegram/bots/{id}/chats lists them. Messages are sent at most once and in order; what may not have arrived is outcome unknown in /delivery.
GET ${baseUrl}/v1/delivery/events?since={cursor} tells what concerns the app's deliveries and bots: delivery.unknown, chat.blocked, bot.revoked and so on.

## At the terminal
In a checkout of Troupe, with the key in TROUPE_KEY and TROUPE_URL=${baseUrl}; --json prints one JSON object a line:
- \`npm run -s troupe -- chat CHARACTER\` talks to a character; lines may be piped in, and it ends when they are answered.
- \`npm run -s troupe -- events tail SESSION\` follows the events of a session.
- \`npm run -s troupe -- webhooks listen --session SESSION --forward http://localhost:3000/hook\` posts them, signed, to a local address.

## Answers
Success: {"schema_version","data","next_actions"}; next_actions holds commands with real ids. Errors: {"detail":{"code","message","fix","request_id"}}; branch on detail.code, and retry by status.
RateLimit and RateLimit-Policy (IETF draft) say what the app may still ask and send in this minute; 429 rate_limited is beyond it.
Try again after Retry-After, or with backoff, where it says retry; not as they are where it says no retry. A plain-string detail comes with a generic 401 or 403 (no retry) and with 503 (retry).
${errorList()}
`
