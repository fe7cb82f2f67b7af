import { SCOPES } from "#src/accounts/scopes.ts"
import { errorList } from "#src/http/server/errorTexts.ts"
import type { Section } from "./pages.ts"

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

/** Links to the guides as Markdown. How to change Troupe itself is of no use to an agent that uses a server. */
const guideList = (baseUrl: string, sections: ReadonlyArray<Section>) =>
  sections
    .filter(({ title }) => title !== "Contribute")
    .map(({ title, pages }) =>
      [`### ${title}`, ...pages.map(({ title, url }) => `- [${title}](${baseUrl}${url}.md)`)].join("\n")
    )
    .join("\n")

/**
 * How to set up and use this server, for agents (contract 4.10). A test runs its commands. `sections`: the guides to
 * link to.
 */
export const llmsText = (
  baseUrl: string,
  { sandbox, signIn, managedBots }: Available,
  sections: ReadonlyArray<Section>
) => `# Troupe

Troupe hosts AI characters that hold persistent, messenger-style conversations with an app's end-users.
Base address: ${baseUrl}
Machine-readable schema: ${baseUrl}/openapi.json (the authority for request and response shapes). Human docs: \
${baseUrl}/docs

## Authentication
Every call under /v1 sends \`Authorization: Bearer ck_...\`, a runtime key that belongs to one app. Keep it on your \
server. For a browser, create a stream token, which can only read the events of one session: \
POST /v1/sessions/{session_id}/stream-token.
${signIn ? "Without a key, set up an account as below, or run this on" : "Without a key, run this on"} the machine \
that runs Troupe: \`npm run -s troupe -- app create NAME\` prints {"app_id","api_key","prefix"}.
${when(
  signIn,
  "An account token (lat_...) works for /v1/account only, and a runtime key (ck_...) for everything else. "
)}Never ask a person for their credentials, cookies or session\
${when(signIn, ": they approve you on a page in their browser")}.
${when(
  sandbox,
  `
## Sandbox, for testing
A demo key needs no account. data.api_key is shown only once. The key and its app are deleted after a day. The app \
contains the characters in data.character_slugs. data.limits lists its limits:
\`\`\`sh
curl -s -X POST ${baseUrl}/v1/demo/sandbox-key
curl -s ${baseUrl}/v1/characters -H "authorization: Bearer $DEMO_KEY"
\`\`\`
Reuse the key: an address gets only a few per hour (429 demo_sandbox_rate_limited). Webhooks, managed bots, budgets \
and account routes require your own app.
To test a client against each outcome of a turn, send a message with the header x-sandbox-fault: generation_failed, \
timed_out, withhold, exit or stall. Demo keys only.
To see a character write first without waiting, POST /v1/sessions/{session_id}/proactive/evaluate with \
{"now":"...","dry_run":false}. Demo keys only. Without dry_run: false, any key can ask what would be decided at that \
moment, and why.
`
)}${when(
  signIn,
  `
## Account setup and first reply
1. Request a device code (at most 20 in ten minutes per address). Omit scopes to request all of them:
\`\`\`sh
curl -s -X POST ${baseUrl}/v1/account/device/start -H "content-type: application/json" \
-d '{"client_name":"My agent","scopes":["apps:read","apps:write","keys:write"]}'
\`\`\`
2. Show the person data.verification_uri_complete, or data.verification_uri and data.user_code. They sign in, read \
the scopes, and approve or deny.
3. Poll for the token every data.interval_seconds. 400 authorization_pending: continue. 429 slow_down: poll five \
seconds slower from now on. 403 access_denied or 400 expired_token: stop. With data.device_code in DEVICE_CODE:
\`\`\`sh
curl -s -X POST ${baseUrl}/v1/account/device/token -H "content-type: application/json" \
-d '{"device_code":"'"$DEVICE_CODE"'"}'
\`\`\`
data.access_token is the account token. It is shown only once, and is valid for 30 days. Both routes also support \
plain RFC 8628 for OAuth clients (a form with client_id, scope, grant_type). See \
${baseUrl}/.well-known/oauth-authorization-server.
4. With the account token in TROUPE_ACCOUNT_TOKEN, create an app. With data.app_id in APP_ID, create a runtime key \
for it. data.api_key is shown only once:
\`\`\`sh
curl -s -X POST ${baseUrl}/v1/account/apps -H "authorization: Bearer $TROUPE_ACCOUNT_TOKEN" \
-H "content-type: application/json" -d '{"name":"My app"}'
curl -s -X POST ${baseUrl}/v1/account/apps/$APP_ID/api-keys -H "authorization: Bearer $TROUPE_ACCOUNT_TOKEN" \
-H "content-type: application/json" -d '{"name":"backend"}'
\`\`\`
5. With the key in TROUPE_KEY, create a character and a session. With data.id of the session in SESSION, talk to it:
\`\`\`sh
curl -s -X POST ${baseUrl}/v1/characters -H "authorization: Bearer $TROUPE_KEY" -H "content-type: application/json" \
-d '{"slug":"mara","display_name":"Mara","voice_samples":[{"text":"Sit down, the soup is hot."}],\
"example_dialogues":[{"user":"What is for dinner?","character":"Leek soup, and bread if you cut it."}]}'
curl -s -X POST ${baseUrl}/v1/sessions -H "authorization: Bearer $TROUPE_KEY" -H "content-type: application/json" \
-d '{"character_slug":"mara","external_user_ref":"user-1"}'
curl -s -X POST ${baseUrl}/v1/sessions/$SESSION/messages -H "authorization: Bearer $TROUPE_KEY" \
-H "content-type: application/json" -H "idempotency-key: first-message" -d '{"text":"What is for dinner?"}'
curl -s "${baseUrl}/v1/sessions/$SESSION/events?since=2&wait=30" -H "authorization: Bearer $TROUPE_KEY"
\`\`\`
Later, with the prefix of the key in PREFIX: list the keys with their last use, rotate a key with an hour of grace, \
revoke a key, read the audit log, and revoke the account token:
\`\`\`sh
curl -s ${baseUrl}/v1/account/apps/$APP_ID/api-keys -H "authorization: Bearer $TROUPE_ACCOUNT_TOKEN"
curl -s -X POST ${baseUrl}/v1/account/apps/$APP_ID/api-keys/$PREFIX/rotate \
-H "authorization: Bearer $TROUPE_ACCOUNT_TOKEN" -H "content-type: application/json" -d '{"grace_seconds":3600}'
curl -s -X POST ${baseUrl}/v1/account/apps/$APP_ID/api-keys/$PREFIX/revoke \
-H "authorization: Bearer $TROUPE_ACCOUNT_TOKEN"
curl -s "${baseUrl}/v1/account/audit-log?app_id=$APP_ID" -H "authorization: Bearer $TROUPE_ACCOUNT_TOKEN"
curl -s -X POST ${baseUrl}/v1/account/token/revoke -H "authorization: Bearer $TROUPE_ACCOUNT_TOKEN"
\`\`\`
Scopes. A token without the scope of a route gets 403 scope_missing:
${scopeLines}
`
)}
## A conversation
1. POST ${baseUrl}/v1/characters {"slug","display_name",...} creates a character.
2. POST ${baseUrl}/v1/sessions {"character_slug","external_user_ref"} opens a session for one end-user. data.id is \
its id.
3. POST ${baseUrl}/v1/sessions/{id}/messages {"text"} returns data.cursor. It never contains the reply. Send an \
Idempotency-Key, unique per logical message. Repeating the key returns the first response.
4. GET ${baseUrl}/v1/sessions/{id}/events?since={cursor}&wait=30 returns data.events and data.next_cursor. Repeat \
with since = the highest cursor seen, across all types. Or read \
${baseUrl}/v1/sessions/{id}/events/stream?since={cursor} as server-sent events.
A reply is an event of type message.created with role character. Show payload.bubbles in order. message.failed with \
recoverable true: the message is recorded, and can be sent again with a new Idempotency-Key. session.exited is final. \
character.initiated is a message that the character sends unprompted. Show its payload.bubbles too. A character may \
also stay silent: then no event follows, and GET ${baseUrl}/v1/sessions/{id}/runs shows the run as withheld. Ignore \
event types and fields that you do not know.
To wait for one turn: GET ${baseUrl}/v1/sessions/{id}/events?since={cursor}&until=turn:{run_ref}&wait=30 returns when \
it has ended. data.turn.outcome is replied, withheld, exited or failed, or null if it has not ended yet.
On 410 cursor_expired, events were lost or are no longer kept: continue from detail.earliest_since.

## All sessions at once
GET ${baseUrl}/v1/events?since={cursor}&wait=30 returns the events of all sessions of the app. Begin with since=0, and \
continue with data.next_cursor, which is an opaque text. ${baseUrl}/v1/events/stream is the same as server-sent \
events. On 410 cursor_expired, continue from detail.earliest_since. types, character and session filter.
To share the work between processes: PUT ${baseUrl}/v1/consumers/{name} {}, then repeat POST \
${baseUrl}/v1/consumers/{name}/pull {"ack"?,"wait":30} in each process. data.ack acknowledges data.events.

## What a character knows
Each turn is analyzed after its reply. GET ${baseUrl}/v1/sessions/{id}/memories lists what the character remembers, \
with the quotes that support it. POST {"text"} adds a memory, PATCH changes one, DELETE forgets one, and POST \
.../memories/search {"query","as_of"?} searches. POST .../recall {"text"} shows what a turn would be given for a text. \
POST .../history {"messages":[{"role","text","at"}]} adds a conversation that was held elsewhere, before the first \
message. See also .../open-loops, .../proactive-preferences, .../snapshots \
and .../relationship-scores. Scores are empty until PATCH ${baseUrl}/v1/apps/{app_id} \
{"expose_relational_numerics":true}.
GET ${baseUrl}/v1/sessions/{id}/timeline lists everything that happened in a session. ${baseUrl}/v1/runs, \
${baseUrl}/v1/health and ${baseUrl}/v1/metrics show the state of the app.

## People
GET ${baseUrl}/v1/end-users/{external_user_ref} returns the profile of an end-user, and DELETE erases all their data. \
GET .../export returns 202 while the export is prepared, then a ZIP with all their data. Repeat it after Retry-After.

## Webhooks
Instead of polling: POST ${baseUrl}/v1/sessions/{id}/channels \
{"kind":"webhook","url","events"?,"retry_schedule"?,"expires_at"?,"from"?:"start"} pushes the events of the session to \
an https URL. POST ${baseUrl}/v1/apps/{app_id}/channels pushes those of every session. data.secret is shown only once: \
store it.
Each request contains one event of the log, signed according to Standard Webhooks (webhook-id, webhook-timestamp, \
webhook-signature: verify the raw bytes of the body with a standardwebhooks library). Answer 2xx within 15 seconds. \
Delivery is at least once, and in order within a session. Use x-service-event-id or x-service-cursor to detect \
duplicates. Failures are retried for three days. A 410 disables the channel.
POST .../channels/{channel_id}/test sends a channel.test event. The channel also has pause, resume and replay \
{"since"}. PATCH {"secret":"rotate"} returns a new secret. GET ${baseUrl}/v1/sessions/{id}/delivery lists the \
delivery status of each event.

## Telegram
POST ${baseUrl}/v1/telegram/bots {"mode":"byo","token","character_slug"} attaches your own bot\
${when(managedBots, `; {"mode":"managed","character_slug"} returns data.link.url, with which a person creates one`)}. \
POST ${baseUrl}/v1/telegram/batches {"action",...} applies an action to many bots: attach, ${when(
  managedBots,
  "create_managed (GET .../{batch_id}/sheet is a page of QR codes to print), "
)}suspend, resume, rotate_secret, ${when(managedBots, "rotate_token, ")}rebrand; \
GET .../{batch_id}/items lists the results. Each chat is a session: GET ${baseUrl}/v1/telegram/bots/{id}/chats lists \
them. Messages are sent at most once and in order, except that a greeting is sent again if its process died while \
sending. If a message may not have arrived, /delivery reports the outcome unknown.
GET ${baseUrl}/v1/delivery/events?since={cursor} lists operational events of the app's deliveries and bots, such as \
delivery.unknown, chat.blocked and bot.revoked.

## At the terminal
In a checkout of Troupe, with the key in TROUPE_KEY and TROUPE_URL=${baseUrl}. --json prints one JSON object per line:
- \`npm run -s troupe -- chat CHARACTER\` starts a chat with a character. Lines can be piped in. It ends when they \
are answered.
- \`npm run -s troupe -- events tail SESSION\` follows the events of a session.
- \`npm run -s troupe -- webhooks listen --session SESSION --forward http://localhost:3000/hook\` posts the signed \
events to a local address.

## Responses
Success: {"schema_version","data","next_actions"}. next_actions contains commands with real ids. Errors: \
{"detail":{"code","message","fix","request_id"}}. Branch on detail.code.
RateLimit and RateLimit-Policy (IETF draft) report the requests and messages that the app has left in the current \
minute. Beyond that: 429 rate_limited.
Errors marked retry: try again after Retry-After, or with backoff. Errors marked no retry: change the request first. \
A plain-string detail comes with a generic 401 or 403 (no retry) and with 503 (retry).
${errorList()}

## Guides
As Markdown, and all in one file at ${baseUrl}/llms-full.txt:
${guideList(baseUrl, sections)}
`
