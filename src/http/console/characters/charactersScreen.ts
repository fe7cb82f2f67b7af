import * as Effect from "effect/Effect"
import { READINESS, type ReadinessStatus } from "#pipeline/readiness/Readiness.ts"
import { FailedImports } from "#src/db/character/FailedImports.ts"
import { type CharacterPosition, type FleetCharacter, FleetCharacters } from "#src/db/operators/FleetCharacters.ts"
import { nextCursor, placeCursorKey } from "#src/http/server/listing.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { appInput, withApp } from "../appFilter.ts"
import type { Console } from "../console.ts"
import { when } from "../figures.ts"
import { failedImports } from "./failedImports.ts"
import { filters, input, select } from "../form.ts"
import { tag, type Tone } from "../icons.ts"
import { pages } from "../pages.ts"
import { table } from "../table.ts"
import { totalAbove } from "../total.ts"
import { choice, words } from "../url.ts"

export const CHARACTERS_PATH = "/console/characters"
const PER_PAGE = 50
const MAX_FAILED = 20
const STATES = ["active", "archived"] as const
const READINESS_TAGS: Readonly<Record<ReadinessStatus, readonly [Tone, string]>> = {
  ready: ["good", "ready"],
  needs_work: ["warn", "needs work"],
  blocked: ["bad", "not ready"]
}

export const readinessTag = (status: ReadinessStatus): Html => tag(...READINESS_TAGS[status])
export const characterUrl = (appId: string, slug: string): string =>
  `${CHARACTERS_PATH}/${encodeURIComponent(appId)}/${encodeURIComponent(slug)}`

/** Where a page ends, as a key of a cursor: ids of apps do not contain this separator. */
const SEPARATOR = "--"
const keyOf = ({ at, appId, slug }: CharacterPosition) => [at, appId, slug].join(SEPARATOR)
const positionOf = (key: string): CharacterPosition | null => {
  const [at = "", appId = "", ...rest] = key.split(SEPARATOR)
  return /^\d{1,16}$/.test(at) && rest.length > 0 ? { at: Number(at), appId, slug: rest.join(SEPARATOR) } : null
}

const columns = (nowMs: number) => [
  {
    label: "Character",
    cell: ({ app_id, slug, display_name }: FleetCharacter) =>
      html`<a href="${characterUrl(app_id, slug)}"><bdi>${display_name}</bdi></a><br /><span class="id">${slug}</span>`
  },
  {
    label: "State",
    cell: ({ status, readiness }: FleetCharacter) =>
      status === "archived" ? tag("none", "archived") : readinessTag(readiness)
  },
  {
    label: "App",
    cell: ({ app_id, app_name }: FleetCharacter) => html`<a href="/console/apps/${app_id}"><bdi>${app_name}</bdi></a>`
  },
  { label: "Version", num: true, cell: ({ version }: FleetCharacter) => String(version) },
  {
    label: "Changed",
    ordered: "descending" as const,
    cell: ({ updated_at }: FleetCharacter) => when(updated_at, nowMs)
  }
]

/** The characters of every app. */
export const charactersScreen = ({ screen }: Console): void =>
  screen({ path: CHARACTERS_PATH, operationId: "showCharacters", summary: "The screen of characters" }, (visit) =>
    Effect.gen(function* () {
      const { nowMs } = visit
      const { query, note } = yield* withApp(visit)
      const key = yield* placeCursorKey(query.get("cursor") ?? undefined, (text) => positionOf(text) !== null)
      const filter = {
        appId: words(query, "app"),
        name: words(query, "name"),
        status: choice(query, "state", STATES),
        readiness: choice(query, "readiness", READINESS)
      }
      const { rows, next } = yield* FleetCharacters.use((characters) =>
        characters.list(filter, { after: key === null ? null : positionOf(key), limit: PER_PAGE })
      )
      const failed = yield* FailedImports.use((imports) => imports.latest(filter.appId, MAX_FAILED))
      const isFiltered = Object.values(filter).some((value) => value !== null)
      return {
        section: CHARACTERS_PATH,
        title: "Characters",
        lead: html`${filters(CHARACTERS_PATH, [
          input({ name: "name", label: "Name or slug", value: query.get("name") ?? "" }),
          appInput(visit.query),
          select({
            name: "readiness",
            label: "Readiness",
            value: query.get("readiness") ?? "",
            options: [
              { value: "", label: "any" },
              ...READINESS.map((value) => ({ value, label: READINESS_TAGS[value][1] }))
            ]
          }),
          select({
            name: "state",
            label: "State",
            value: query.get("state") ?? "",
            options: [{ value: "", label: "any" }, ...STATES.map((value) => ({ value, label: value }))]
          })
        ])}${note}${yield* totalAbove(
          visit,
          FleetCharacters.use((characters) => characters.count(filter)),
          ["character", "characters"]
        )}`,
        live: html`<section class="card flush">
          ${table<FleetCharacter>({
            label: "Characters",
            columns: columns(nowMs),
            rows,
            empty: isFiltered
              ? html`<p>No character matches these filters.</p>
                  <a class="button" href="${CHARACTERS_PATH}">Clear the filters</a>`
              : html`<p>There are no characters yet. Apps create them with POST /v1/characters.</p>`
          })}
          ${pages(visit, nextCursor(next === null ? null : keyOf(next)))}
        </section>
        ${failedImports(failed, nowMs)}`
      }
    })
  )
