import * as Effect from "effect/Effect"
import { Traces } from "#src/db/conversation/Traces.ts"
import { BreakGlass } from "#src/db/operators/BreakGlass.ts"
import type { FoundSession, SessionChat } from "#src/db/operators/SessionSearch.ts"
import { BreakGlassOpen } from "#src/http/operators/operatorAccessSchemas.ts"
import { readAttemptId } from "#src/http/operators/operatorDeliveryRoutes.ts"
import { findAnySession } from "#src/http/operators/operatorSessionRoutes.ts"
import { validationError } from "#src/http/server/errors.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { characterUrl } from "../characters/charactersScreen.ts"
import { type Console, done } from "../console.ts"
import { DELIVERIES_PATH } from "../deliveries/attemptQuery.ts"
import { count, when } from "../figures.ts"
import { input } from "../form.ts"
import type { Visit } from "../Screen.ts"
import { urlWith, words } from "../url.ts"
import { bubbles } from "./bubbles.ts"
import { CONVERSATIONS_PATH } from "./conversationsScreen.ts"
import { botOf, obstacles } from "./obstacles.ts"
import { readConversation } from "./readConversation.ts"
import { sessionState } from "./sessionState.ts"
import { waterfall } from "./waterfall.ts"

const TURNS = 10

const facts = (session: FoundSession, chat: SessionChat | undefined, nowMs: number): Html =>
  html`<section class="card" aria-labelledby="facts">
    <h2 id="facts">About this conversation</h2>
    <dl class="facts">
      <dt>State</dt><dd>${sessionState(session)}</dd>
      <dt>Person</dt><dd><bdi>${session.external_user_ref}</bdi></dd>
      <dt>Character</dt>
        <dd>
          <a href="${characterUrl(session.app_id, session.character_slug)}"
            ><bdi>${session.character_name ?? session.character_slug}</bdi></a
          >
        </dd>
      <dt>App</dt>
        <dd><a href="/console/apps/${session.app_id}"><bdi>${session.app_name ?? session.app_id}</bdi></a></dd>
      ${chat === undefined ? null : html`<dt>Bot</dt><dd>${botOf(chat)}</dd>`}
      <dt>Turns</dt><dd>${count(session.turn_count)}</dd>
      <dt>Began</dt><dd>${when(session.created_at, nowMs)}</dd>
      <dt>Person wrote</dt><dd>${when(session.last_user_at, nowMs)}</dd>
      <dt>Character wrote</dt><dd>${when(session.last_character_at, nowMs)}</dd>
      <dt>Id</dt><dd class="id">${session.session_id}</dd>
    </dl>
  </section>`

/** The attempt at a delivery whose response is to be read. Null: none, or what is no id of an attempt. */
const attemptOf = (text: string | null): string | null => (text !== null && readAttemptId(text) !== null ? text : null)

const opening = (session: FoundSession, until: Date | null, { csrf, owns, nowMs, query }: Visit): Html => {
  const attempt = attemptOf(query.get("attempt"))
  if (until !== null)
    return html`<div class="flash warn">
      <p>You can read what was said, until ${when(until, nowMs)}. This is on record.</p>
    </div>`
  if (!owns) return html`<p class="soft">What was said is hidden. Only an owner can open it, by giving a reason.</p>`
  return html`<details class="card" id="break-glass" ${attempt === null ? null : html`open`}>
    <summary>Read what was said…</summary>
    <form class="stack" method="post" action="${CONVERSATIONS_PATH}/${session.session_id}/open">
      ${csrf} ${attempt === null ? null : html`<input type="hidden" name="attempt" value="${attempt}" />`}
      <p>
        The person who wrote these messages does not expect you to read them. Your reason is kept in the audit log, and
        you can read the content for 15 minutes.
      </p>
      ${input({
        name: "reason",
        label: "Reason",
        required: true,
        pattern: ".{10,}",
        title: "At least 10 characters",
        hint: "10 to 500 characters, such as the number of a complaint and what it is about",
        maxlength: 500
      })}
      <div class="row"><button class="first" type="submit">Open the content</button></div>
    </form>
  </details>`
}

/** One conversation as a phone shows it, and how each of its turns went. */
export const conversationScreen = ({ screen, action }: Console): void => {
  const path = `${CONVERSATIONS_PATH}/:session_id`

  screen({ path, operationId: "showConversation", summary: "The screen of a conversation" }, (visit) =>
    Effect.gen(function* () {
      const { nowMs, params, query, operator } = visit
      const session = yield* findAnySession(params["session_id"] ?? "")
      const upTo = Number(query.get("up_to") ?? "")
      const runRef = words(query, "turn")
      const [found, conversation, turns, until] = yield* Effect.all(
        [
          obstacles(session, visit),
          readConversation(session, Number.isInteger(upTo) && upTo > 0 ? upTo : null),
          Traces.use((traces) =>
            traces.ofSession(session.app_id, session.session_id, { runRef, before: null, limit: TURNS })
          ),
          BreakGlass.use((glass) => glass.mayReadContent(operator, session.session_id))
        ],
        { concurrency: 3 }
      )
      const { earlier } = conversation
      const indices = new Map(turns.map(({ run_ref, turn_index }) => [run_ref, turn_index]))
      const turnOf = (run: string) => {
        const index = indices.get(run)
        return index === undefined
          ? { url: `${urlWith(visit.path, query, { turn: run })}#turns`, name: "its turn" }
          : { url: `#turn-${index}`, name: `turn ${index}` }
      }
      return {
        section: CONVERSATIONS_PATH,
        above: { url: CONVERSATIONS_PATH, name: "Conversations" },
        title: `${session.external_user_ref} and ${session.character_name ?? session.character_slug}`,
        lead: opening(session, until, visit),
        live: html`${found.shown}
        <div class="split">
          <div class="stack">
            ${
              earlier === null
                ? null
                : html`<p><a href="${urlWith(visit.path, query, { up_to: String(earlier) })}">Earlier messages</a></p>`
            }
            ${bubbles(conversation, { isOpen: until !== null, nowMs, turnOf })}
          </div>
          <div class="stack">
            ${facts(session, found.chat, nowMs)}
            <div class="head">
              <h2 id="turns">Turns</h2>
              ${
                runRef === null
                  ? null
                  : html`<a href="${urlWith(visit.path, query, { turn: null })}">The latest turns</a>`
              }
            </div>
            ${
              turns.length > 0
                ? null
                : html`<p class="soft">
                    ${runRef === null ? "There has been no turn yet." : "This turn is not kept any more."}
                  </p>`
            }
            ${turns.map((turn) => waterfall(turn, session, nowMs))}
          </div>
        </div>`
      }
    })
  )

  action(
    {
      path: `${path}/open`,
      role: "owner",
      operationId: "openConversation",
      summary: "Open what was said, for a reason"
    },
    ({ params }, form) =>
      Effect.gen(function* () {
        const { success, data: reason } = BreakGlassOpen.shape.reason.safeParse((form.get("reason") ?? "").trim())
        if (!success) return yield* validationError("reason: Say why you need to read this, in 10 to 500 characters.")
        const { session_id } = yield* findAnySession(params["session_id"] ?? "")
        yield* BreakGlass.use((glass) => glass.open(session_id, reason))
        const attempt = attemptOf(form.get("attempt"))
        return done(
          attempt === null ? `${CONVERSATIONS_PATH}/${session_id}` : `${DELIVERIES_PATH}/${attempt}`,
          "The content is open to you. Your reason is in the audit log."
        )
      }),
    ({ params }) => `${CONVERSATIONS_PATH}/${params["session_id"]}`
  )
}
