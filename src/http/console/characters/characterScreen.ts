import * as Effect from "effect/Effect"
import type { Check } from "#pipeline/readiness/Readiness.ts"
import { Characters, type CharacterVersion } from "#src/db/character/Characters.ts"
import { type FleetCharacter, FleetCharacters } from "#src/db/operators/FleetCharacters.ts"
import { characterNotFound } from "#src/http/character/characterErrors.ts"
import { isSlug } from "#src/http/character/characterSchemas.ts"
import { findCharacter } from "#src/http/character/findCharacter.ts"
import { readinessOf } from "#src/http/character/readinessOf.ts"
import { type Html, html } from "#src/http/server/page.ts"
import type { Console } from "../console.ts"
import { percent, when } from "../figures.ts"
import { tag } from "../icons.ts"
import type { Visit } from "../Screen.ts"
import { table } from "../table.ts"
import { CHARACTERS_PATH, characterUrl, readinessTag } from "./charactersScreen.ts"
import { evals } from "./evals.ts"

const VERSIONS = 20
const RUNS = 40
const noSuchCharacter = characterNotFound.saying("There is no such character.", "Search on the screen Characters.")

/** The character that a path names. */
export const findAnyCharacter = Effect.fnUntraced(function* ({ params }: Visit) {
  const ref = { appId: params["app_id"] ?? "", slug: params["slug"] ?? "" }
  const found = isSlug(ref.slug) ? yield* FleetCharacters.use((characters) => characters.get(ref)) : undefined
  return found ?? (yield* noSuchCharacter)
})

const checkTag = ({ status, severity }: Check): Html =>
  status === "pass"
    ? tag("good", "in order")
    : status === "skipped"
      ? tag("none", "not checked")
      : tag(severity === "blocker" ? "bad" : severity === "warning" ? "warn" : "info", severity)

/** What is not in order first. */
const urgency = ({ status, severity }: Check): number =>
  status === "fail" ? ["blocker", "warning", "info"].indexOf(severity) : status === "skipped" ? 3 : 4

const readiness = (checks: ReadonlyArray<Check>, score: number): Html =>
  html`<section class="card flush" aria-labelledby="readiness">
    <h2 id="readiness">Readiness: ${percent(score, 1)} of the checks pass</h2>
    ${table<Check>({
      label: "Readiness",
      columns: [
        { label: "Check", cell: ({ key }) => key.replaceAll("_", " ") },
        { label: "State", cell: checkTag },
        {
          label: "Finding",
          cell: ({ status, message, fix }) =>
            status === "fail" ? html`${message} <span class="soft">${fix}</span>` : html`${message}`
        }
      ],
      rows: checks.toSorted((one, other) => urgency(one) - urgency(other)),
      empty: html`<p>Nothing was checked.</p>`
    })}
  </section>`

const versionTable = (character: FleetCharacter, versions: ReadonlyArray<CharacterVersion>, nowMs: number): Html => {
  const url = `${characterUrl(character.app_id, character.slug)}/versions`
  return html`<section class="card flush" aria-labelledby="versions">
    <h2 id="versions">Versions</h2>
    ${table<CharacterVersion>({
      label: "Versions",
      columns: [
        {
          label: "Version",
          cell: ({ version, current }) => html`${version} ${current ? tag("good", "current") : null}`
        },
        { label: "Name", cell: ({ display_name }) => html`<bdi>${display_name}</bdi>` },
        { label: "From", cell: ({ source_ref }) => (source_ref === null ? "its author" : "research") },
        { label: "Written", cell: ({ created_at }) => when(created_at, nowMs) },
        {
          label: "Changes",
          cell: ({ version }) =>
            version === 1
              ? html`<span class="soft">the first</span>`
              : html`<a href="${url}?from=${version - 1}&amp;to=${version}"
                  >What changed<span class="visually-hidden"> in version ${version}</span></a
                >`
        }
      ],
      rows: versions,
      empty: html`<p>There is no version.</p>`
    })}
    ${
      versions.length === VERSIONS
        ? html`<p class="pages"><span>The latest ${VERSIONS}.</span> <a href="${url}">Compare any two</a></p>`
        : null
    }
  </section>`
}

/** One character: whether it is ready, how its evals went, and its versions. */
export const characterScreen = ({ screen }: Console): void =>
  screen(
    { path: `${CHARACTERS_PATH}/:app_id/:slug`, operationId: "showCharacter", summary: "The screen of a character" },
    (visit) =>
      Effect.gen(function* () {
        const { nowMs, acts } = visit
        const character = yield* findAnyCharacter(visit)
        const { app_id: appId, slug } = character
        const [{ status, score, checks }, versions = [], runs] = yield* Effect.all(
          [
            Effect.flatMap(findCharacter(appId, slug), (stored) => readinessOf(appId, stored)),
            Characters.use((characters) => characters.versions(appId, slug, { before: null, limit: VERSIONS })),
            FleetCharacters.use((characters) => characters.evals({ appId, slug }, RUNS))
          ],
          { concurrency: 3 }
        )
        const url = characterUrl(appId, slug)
        return {
          section: CHARACTERS_PATH,
          above: { url: CHARACTERS_PATH, name: "Characters" },
          title: character.display_name,
          actions:
            acts && character.status === "active"
              ? html`<a class="button first" href="${url}/chat">Test chat</a>`
              : html``,
          live: html`<p class="row">
              ${character.status === "archived" ? tag("none", "archived") : readinessTag(status)}
              <span class="id">${slug}</span>
              <a href="/console/apps/${appId}"><bdi>${character.app_name}</bdi></a>
              <a href="/console/conversations?app=${appId}&amp;character=${slug}">Conversations</a>
              <a href="/console/bots?app=${appId}">Bots</a>
            </p>
            ${evals(runs, nowMs)} ${readiness(checks, score)} ${versionTable(character, versions, nowMs)}`
        }
      })
  )
