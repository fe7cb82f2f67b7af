import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { Inbox } from "#pipeline/Inbox.ts"
import { Sessions } from "#src/db/conversation/Sessions.ts"
import { ActionLog } from "#src/db/operators/ActionLog.ts"
import { Audit } from "#src/db/operators/Audit.ts"
import type { FleetCharacter } from "#src/db/operators/FleetCharacters.ts"
import { OperatorApps } from "#src/db/operators/OperatorApps.ts"
import { SessionActions } from "#src/db/operators/SessionActions.ts"
import { type FoundSession, SessionSearch } from "#src/db/operators/SessionSearch.ts"
import { characterArchived, characterNotFound } from "#src/http/character/characterErrors.ts"
import { characterNotReady } from "#src/http/conversation/conversationErrors.ts"
import { refusals } from "#src/http/conversation/messageRoutes.ts"
import { MAX_CHARACTERS, MessageSend } from "#src/http/conversation/messageSchemas.ts"
import { appSuspended, demoQuotaExceeded, validationError } from "#src/http/server/errors.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { type Console, done } from "../console.ts"
import { bubbles } from "../conversations/bubbles.ts"
import { readConversation } from "../conversations/readConversation.ts"
import { post } from "../form.ts"
import type { Visit } from "../Screen.ts"
import { findAnyCharacter } from "./characterScreen.ts"
import { CHARACTERS_PATH, characterUrl } from "./charactersScreen.ts"

/** So that a reply appears about when it would in a messenger. */
const EVERY_SECONDS = 1

/**
 * Whom the character talks to: the same person for every chat of an operator. A hash, because apps see it and must not
 * learn who the operator is.
 */
const refOf = ({ operator }: Visit): string =>
  `operator-test-${createHash("sha256").update(operator.id).digest("hex").slice(0, 16)}`

const present = Effect.fnUntraced(function* ({ app_id: appId, slug }: FleetCharacter, visit: Visit) {
  const [session] = yield* Sessions.use((sessions) =>
    sessions.list(appId, {
      characterSlug: slug,
      externalUserRef: refOf(visit),
      status: null,
      before: null,
      limit: 1
    })
  )
  return session === undefined ? undefined : yield* SessionSearch.use((search) => search.get(session.session_id))
})

/** Opens a session of this operator. It never writes first, because nobody waits for that. */
const begin = ({ app_id: appId, slug }: FleetCharacter, visit: Visit) =>
  Audit.use((audit) =>
    audit.changing(
      Sessions.use((sessions) =>
        sessions.create(appId, {
          characterSlug: slug,
          externalUserRef: refOf(visit),
          proactiveControls: { proactive_enabled: false },
          metadata: { test_chat: true },
          endUser: { display_name: "Operator" },
          newThread: true
        })
      ),
      ({ session }) => ({
        action: "character.test_chat_started",
        appId,
        subject: session.session_id,
        detail: { character_slug: slug, character_version: session.character_version }
      })
    )
  ).pipe(
    Effect.catchTags({
      CharacterUnavailable: ({ reason }) =>
        Effect.fail(
          { not_found: characterNotFound, archived: characterArchived, not_ready: characterNotReady }[reason]
        ),
      QuotaReached: () => Effect.fail(demoQuotaExceeded("sessions"))
    }),
    Effect.map(({ session }) => session.session_id)
  )

/** A suspended app answers nobody, and it is its operators who have suspended it. */
const requireActive = Effect.fnUntraced(function* ({ app_id }: FleetCharacter) {
  const app = yield* OperatorApps.use((apps) => apps.get(app_id))
  if (app !== undefined && app.suspended_at !== null) return yield* appSuspended(app.suspended_reason)
})

const typing = ({ display_name }: FleetCharacter, url: string): Html =>
  html`<div class="bubble theirs typing" role="status">
    <span><bdi>${display_name}</bdi> is writing</span>
    <svg viewBox="0 0 28 8" aria-hidden="true">
      <circle cx="4" cy="4" r="3" /><circle cx="14" cy="4" r="3" /><circle cx="24" cy="4" r="3" />
    </svg>
    <noscript><a href="${url}">Check for the reply</a></noscript>
  </div>`

const writer = (url: string, { display_name }: FleetCharacter, { csrf }: Visit): Html =>
  html`<form class="writer" method="post" action="${url}/messages">
    ${csrf}
    <label class="visually-hidden" for="text">Message to <bdi>${display_name}</bdi></label>
    <input
      id="text"
      name="text"
      type="text"
      maxlength="${MAX_CHARACTERS}"
      autocomplete="off"
      placeholder="Message"
      required
      autofocus
    />
    <button class="first" type="submit">Send</button>
  </form>`

const conversation = Effect.fnUntraced(function* (
  session: FoundSession | undefined,
  character: FleetCharacter,
  url: string,
  nowMs: number
) {
  if (session === undefined)
    return html`<div class="chat">
      <div class="phone"><p class="empty">Say something to <bdi>${character.display_name}</bdi>.</p></div>
    </div>`
  const shown = bubbles(yield* readConversation(session, null), {
    isOpen: true,
    reader: "person",
    nowMs,
    ...(session.open_turns > 0 && { below: typing(character, url) })
  })
  return html`<div class="chat">${shown}</div>`
})

/** A conversation of an operator with a character, to try it out. */
export const testChat = ({ screen, action }: Console): void => {
  const path = `${CHARACTERS_PATH}/:app_id/:slug/chat`
  const urlOf = ({ params }: Visit) => `${characterUrl(params["app_id"] ?? "", params["slug"] ?? "")}/chat`

  screen(
    {
      path,
      role: "operator",
      everySeconds: EVERY_SECONDS,
      operationId: "showTestChat",
      summary: "A test chat with a character"
    },
    (visit) =>
      Effect.gen(function* () {
        const character = yield* findAnyCharacter(visit)
        const session = yield* present(character, visit)
        const url = urlOf(visit)
        const isOver = session !== undefined && session.status !== "active"
        return {
          section: CHARACTERS_PATH,
          above: { url: characterUrl(character.app_id, character.slug), name: character.display_name },
          title: `Test chat with ${character.display_name}`,
          actions: html`${
            session === undefined
              ? null
              : html`<a class="button" href="/console/conversations/${session.session_id}">How the turns went</a>
                  ${post({ action: `${url}/restart`, csrf: visit.csrf, label: "Start over" })}`
          }`,
          lead: html`<p class="soft">
            This is a real conversation of the app: the app pays for it and its webhooks get its events. The character
            talks to <span class="id">${refOf(visit)}</span>.
          </p>`,
          live: yield* conversation(session, character, url, visit.nowMs),
          body: isOver
            ? html`<p class="soft">The character has left this conversation. Start over to talk again.</p>`
            : writer(url, character, visit)
        }
      })
  )

  action(
    { path: `${path}/messages`, operationId: "sendTestMessage", summary: "Send a message in a test chat" },
    (visit, form) =>
      Effect.gen(function* () {
        const { success, data: text } = MessageSend.shape.text.safeParse(form.get("text") ?? "")
        if (!success) return yield* validationError(`text: Write a message of 1 to ${MAX_CHARACTERS} characters.`)
        const character = yield* findAnyCharacter(visit)
        yield* requireActive(character)
        const session = yield* present(character, visit)
        const sessionId = session?.session_id ?? (yield* begin(character, visit))
        // Before the message, which is written together with those of others.
        yield* ActionLog.use((audit) =>
          audit.note({
            action: "character.test_message_sent",
            appId: character.app_id,
            subject: sessionId,
            detail: { character_slug: character.slug }
          })
        )
        const { cursor } = yield* Inbox.use((inbox) =>
          inbox.accept({
            appId: character.app_id,
            sessionId,
            text,
            replyMode: "fast",
            clientMessageId: null,
            source: "api",
            fault: undefined
          })
        ).pipe(Effect.catchTag("Refused", ({ reason }) => Effect.fail(refusals[reason])))
        return done(`${urlOf(visit)}#event-${cursor}`, null)
      }),
    urlOf
  )

  action(
    { path: `${path}/restart`, operationId: "restartTestChat", summary: "Begin a test chat from the start" },
    (visit) =>
      Effect.gen(function* () {
        const character = yield* findAnyCharacter(visit)
        yield* requireActive(character)
        const before = yield* present(character, visit)
        if (before !== undefined) yield* SessionActions.use((actions) => actions.end(before, "Test chat started over"))
        yield* begin(character, visit)
        return done(urlOf(visit), "A new conversation has started.")
      }),
    urlOf
  )
}
