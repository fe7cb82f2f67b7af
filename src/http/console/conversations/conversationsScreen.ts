import * as Effect from "effect/Effect"
import { isId } from "#pipeline/domain/Id.ts"
import { type FoundSession, SESSION_STATES, SessionSearch } from "#src/db/operators/SessionSearch.ts"
import { sessionCursor, sessionPositionOf } from "#src/http/operators/operatorSessionRoutes.ts"
import { html } from "#src/http/server/page.ts"
import { appInput, withApp } from "../appFilter.ts"
import type { Console } from "../console.ts"
import { count, when } from "../figures.ts"
import { filters, input, select } from "../form.ts"
import { pages } from "../pages.ts"
import { type Column, table } from "../table.ts"
import { totalAbove } from "../total.ts"
import { choice, words } from "../url.ts"
import { tag } from "../icons.ts"
import { characterUrl } from "../characters/charactersScreen.ts"
import { crisisName } from "./crisisName.ts"
import { sessionState } from "./sessionState.ts"

export const CONVERSATIONS_PATH = "/console/conversations"
const PER_PAGE = 50
const CRISIS_AGES = {
  "86400": "in the last day",
  "604800": "in the last 7 days",
  "2592000": "in the last 30 days"
} as const

const columns = (nowMs: number): ReadonlyArray<Column<FoundSession>> => [
  {
    label: "Person",
    cell: ({ session_id, external_user_ref }) =>
      html`<a href="${CONVERSATIONS_PATH}/${session_id}"><bdi>${external_user_ref}</bdi></a>`
  },
  {
    label: "Character",
    cell: ({ app_id, character_slug, character_name }) =>
      html`<a href="${characterUrl(app_id, character_slug)}"><bdi>${character_name ?? character_slug}</bdi></a>`
  },
  { label: "State", cell: sessionState },
  {
    label: "App",
    cell: ({ app_id, app_name }) => html`<a href="/console/apps/${app_id}"><bdi>${app_name ?? app_id}</bdi></a>`
  },
  { label: "Turns", num: true, cell: ({ turn_count }) => count(turn_count) },
  { label: "Person wrote", cell: ({ last_user_at }) => when(last_user_at, nowMs) },
  { label: "Character wrote", cell: ({ last_character_at }) => when(last_character_at, nowMs) }
]

const beganColumn = (nowMs: number): Column<FoundSession> => ({
  label: "Began",
  cell: ({ created_at }) => when(created_at, nowMs)
})

const crisisColumn = (nowMs: number): Column<FoundSession> => ({
  label: "In danger",
  ordered: "descending",
  cell: ({ crisis, crisis_at }) => html`${tag("bad", crisisName(crisis ?? ""))} ${when(crisis_at, nowMs)}`
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
        const { nowMs } = visit
        const { query, note } = yield* withApp(visit)
        const person = words(query, "person")
        const isWhole = query.get("match") === "whole"
        const filter = {
          appId: words(query, "app"),
          externalUserRef: isWhole ? person : null,
          person: isWhole ? null : person,
          characterSlug: null,
          character: words(query, "character"),
          status: choice(query, "state", SESSION_STATES),
          crisisSince: crisisSinceOf(query, nowMs)
        }
        const isByCrisis = filter.crisisSince !== null
        const before = yield* sessionPositionOf(query.get("cursor") ?? undefined, isByCrisis)
        const session = words(query, "session")
        const found = session !== null && isId("ses", session) ? yield* findOne(session) : null
        const { rows, next } =
          found ?? (yield* SessionSearch.use((sessions) => sessions.list(filter, { before, limit: PER_PAGE })))
        return {
          section: CONVERSATIONS_PATH,
          title: "Conversations",
          lead: html`${filters(CONVERSATIONS_PATH, [
            input({ name: "person", label: "Person", value: query.get("person") ?? "" }),
            select({
              name: "match",
              label: "Match",
              value: query.get("match") ?? "",
              options: [
                { value: "", label: "part of the text" },
                { value: "whole", label: "the whole text" }
              ]
            }),
            input({ name: "character", label: "Slug of the character", value: query.get("character") ?? "" }),
            appInput(visit.query),
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
          ])}${note}${
            found !== null
              ? null
              : yield* totalAbove(
                  visit,
                  SessionSearch.use((sessions) => sessions.count(filter)),
                  ["conversation", "conversations"]
                )
          }`,
          live: html`<section class="card flush">
            ${table<FoundSession>({
              label: "Conversations",
              columns: [
                ...columns(nowMs),
                isByCrisis ? beganColumn(nowMs) : { ...beganColumn(nowMs), ordered: "descending" },
                ...(isByCrisis ? [crisisColumn(nowMs)] : [])
              ],
              rows,
              empty: html`<p>No conversation matches.</p>`
            })}
            ${pages(visit, sessionCursor(next))}
          </section>`
        }
      })
  )

const findOne = (sessionId: string) =>
  Effect.map(
    SessionSearch.use((sessions) => sessions.get(sessionId)),
    (row) => ({ rows: row === undefined ? [] : [row], next: null })
  )
