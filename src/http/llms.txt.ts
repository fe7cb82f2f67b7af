/** Setting up and using this server, for agents (contract 4.10). */
export const llmsText = (baseUrl: string) => `# Troupe

Troupe hosts AI characters that hold persistent, messenger-style conversations with an app's end-users.
Base address: ${baseUrl}
Machine-readable schema: ${baseUrl}/openapi.json (the authority for request and response shapes). Human docs: ${baseUrl}/docs

## Authentication
Every call under /v1 sends \`Authorization: Bearer ck_...\`, a runtime key that belongs to one app. Keep it on your server.
Without a key, ask the operator for one; on the machine that runs Troupe: \`npm run -s troupe -- app create NAME\` prints {"app_id","api_key","prefix"}.

## A conversation
1. POST ${baseUrl}/v1/characters {"slug","display_name",...} creates a character.
2. POST ${baseUrl}/v1/sessions {"character_slug","external_user_ref"} opens a thread for one end-user; data.id is its id.
3. POST ${baseUrl}/v1/sessions/{id}/messages {"text"} answers with data.cursor. It never contains the reply. Send an Idempotency-Key, unique per logical message; the same key again returns the first answer.
4. GET ${baseUrl}/v1/sessions/{id}/events?since={cursor}&wait=30 returns data.events and data.next_cursor. Repeat with since = the highest cursor seen, across all types. Or read ${baseUrl}/v1/sessions/{id}/events/stream?since={cursor} as server-sent events.
A reply is an event of type message.created with role character; show payload.bubbles in order. message.failed with recoverable true means: the message is recorded and may be sent again, with a new Idempotency-Key. session.exited is final. Ignore event types and fields that you do not know.

## Webhooks
Instead of polling: POST ${baseUrl}/v1/sessions/{id}/channels {"kind":"webhook","url","events"?,"from"?:"start"} has the session's events pushed to an https URL, POST ${baseUrl}/v1/apps/{app_id}/channels those of every session. data.secret is shown this once: store it.
Each push is one event, as in the log, signed by Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature: verify the raw bytes of the body with a standardwebhooks library). Answer 2xx within 15 seconds. Pushes are at least once and in order within a session: tell repeats apart by x-service-event-id or x-service-cursor. Failures are tried again for three days; 410 disables the channel.
POST .../channels/{channel_id}/test pushes a channel.test event now; pause, resume and replay {"since"} are beside it; PATCH {"secret":"rotate"} answers with a new secret. GET ${baseUrl}/v1/sessions/{id}/delivery shows what became of each event.

## Telegram
POST ${baseUrl}/v1/telegram/bots {"mode":"byo","token","character_slug"} attaches a bot of yours; {"mode":"managed","character_slug"} answers with data.link.url, by which a person creates one. Each chat is a session: GET ${baseUrl}/v1/telegram/bots/{id}/chats lists them. Messages are sent at most once and in order; what may not have arrived is outcome unknown in /delivery.
GET ${baseUrl}/v1/delivery/events?since={cursor} tells what concerns the app's deliveries and bots: delivery.unknown, chat.blocked, bot.revoked and so on.

## At the terminal
In a checkout of Troupe, with the key in TROUPE_KEY and TROUPE_URL=${baseUrl}; --json prints one JSON object a line:
- \`npm run -s troupe -- chat CHARACTER\` talks to a character; lines may be piped in, and it ends when they are answered.
- \`npm run -s troupe -- events tail SESSION\` follows the events of a session.
- \`npm run -s troupe -- webhooks listen --session SESSION --forward http://localhost:3000/hook\` posts them, signed, to a local address.

## Answers
Success: {"schema_version","data","next_actions"}; next_actions holds commands with real ids. Errors: {"detail":{"code","message","fix","request_id"}}; branch on detail.code and retry by status:
429, 500, 502 and 503 with backoff; other 4xx not as they are. A plain-string detail comes with a generic 401 or 403 and with 503.
`
