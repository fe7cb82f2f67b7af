import * as Effect from "effect/Effect"
import { isId } from "#pipeline/domain/Id.ts"
import { type FoundSession, SESSION_STATES, SessionSearch } from "#src/db/operators/SessionSearch.ts"
import { nextCursor, placeCursorKey } from "#src/http/server/listing.ts"
import { html } from "#src/http/server/page.ts"
import type { Console } from "../console.ts"
import { count, when } from "../figures.ts"
import { filters, input, select } from "../form.ts"
import { pages } from "../pages.ts"
import { table } from "../table.ts"
import { choice, words } from "../url.ts"
import { tag } from "../icons.ts"
import { crisisName } from "./crisisName.ts"
import { sessionState } from "./sessionState.ts"

export const CONVERSATIONS_PATH = "/console/conversations"
const PER_PAGE = 50
const CRISIS_AGES = {
  "86400": "in the last day",
  "604800": "in the last 7 days",
  "2592000": "in the last 30 days"
} as const

const columns = (nowMs: number) => [
  {
    label: "Person",
    cell: ({ session_id, external_user_ref }: FoundSession) =>
      html`<a href="${CONVERSATIONS_PATH}/${session_id}"><bdi>${external_user_ref}</bdi></a>`
  },
  { label: "Character", cell: ({ character_slug }: FoundSession) => html`<bdi>${character_slug}</bdi>` },
  { label: "State", cell: sessionState },
  {
    label: "App",
    cell: ({ app_id, app_name }: FoundSession) =>
      html`<a href="/console/apps/${app_id}"><bdi>${app_name ?? app_id}</bdi></a>`
  },
  { label: "Turns", num: true, cell: ({ turn_count }: FoundSession) => count(turn_count) },
  { label: "Person wrote", cell: ({ last_user_at }: FoundSession) => when(last_user_at, nowMs) },
  { label: "Character wrote", cell: ({ last_character_at }: FoundSession) => when(last_character_at, nowMs) }
]

const crisisColumn = (nowMs: number) => ({
  label: "In danger",
  cell: ({ crisis, crisis_at }: FoundSession) => html`${tag("bad", crisisName(crisis ?? ""))} ${when(crisis_at, nowMs)}`
})

const crisisSinceOf = (query: URLSearchParams, nowMs: number): Date | null => {
  const age = choice(query, "crisis", Object.keys(CRISIS_AGES))
  return age === null ? null : new Date(nowMs - Number(age) * 1000)
}

/** The search for a conversation, by what is known of it without reading it. */
export const conversationsScreen = ({ screen }: Console): void =>
  screen(
    { path: CONVERSATIONS_PATH, operationId: "showConversations", summary: "The screen of conversations" },
    (visit) =>
      Effect.gen(function* () {
        const { nowMs, query } = visit
        const before = yield* placeCursorKey(query.get("cursor") ?? undefined, (key) => isId("ses", key))
        const filter = {
          appId: words(query, "app"),
          externalUserRef: words(query, "person"),
          characterSlug: words(query, "character"),
          status: choice(query, "state", SESSION_STATES),
          crisisSince: crisisSinceOf(query, nowMs)
        }
        const session = words(query, "session")
        const found = session !== null && isId("ses", session) ? yield* findOne(session) : null
        const { rows, next } =
          found ?? (yield* SessionSearch.use((sessions) => sessions.list(filter, { before, limit: PER_PAGE })))
        return {
          section: CONVERSATIONS_PATH,
          title: "Conversations",
          lead: filters(CONVERSATIONS_PATH, [
            input({ name: "person", label: "Person", value: query.get("person") ?? "" }),
            input({ name: "character", label: "Character", value: query.get("character") ?? "" }),
            input({ name: "app", label: "App id", value: query.get("app") ?? "" }),
            input({ name: "session", label: "Session", value: query.get("session") ?? "" }),
            select({
              name: "state",
              label: "State",
              value: query.get("state") ?? "",
              options: [{ value: "", label: "any" }, ...SESSION_STATES.map((value) => ({ value, label: value }))]
            }),
            select({
              name: "crisis",
              label: "In danger",
              value: query.get("crisis") ?? "",
              options: [
                { value: "", label: "any" },
                ...Object.entries(CRISIS_AGES).map(([value, label]) => ({ value, label }))
              ]
            })
          ]),
          live: html`<section class="card flush">
            ${table<FoundSession>({
              label: "Conversations",
              columns: [...columns(nowMs), ...(filter.crisisSince === null ? [] : [crisisColumn(nowMs)])],
              rows,
              empty: html`<p>No conversation matches.</p>`
            })}
            ${pages(visit, nextCursor(next))}
          </section>`
        }
      })
  )

const findOne = (sessionId: string) =>
  Effect.map(
    SessionSearch.use((sessions) => sessions.get(sessionId)),
    (row) => ({ rows: row === undefined ? [] : [row], next: null })
  )
