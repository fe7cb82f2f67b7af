import * as Effect from "effect/Effect"
import { Characters } from "#src/db/character/Characters.ts"
import { FleetCharacters } from "#src/db/operators/FleetCharacters.ts"
import { versionNotFound } from "#src/http/character/characterErrors.ts"
import { type Html, html, prose } from "#src/http/server/page.ts"
import type { Console } from "../console.ts"
import { counted, when } from "../figures.ts"
import { select } from "../form.ts"
import { tag } from "../icons.ts"
import { findAnyCharacter } from "./characterScreen.ts"
import { CHARACTERS_PATH, characterUrl } from "./charactersScreen.ts"
import { type FieldChange, type Lines, profileDiff } from "./profileDiff.ts"

/** Versions that can be chosen. */
const MAX_VERSIONS = 200

const lines = ({ kind, lines }: Lines): Html => {
  const text = prose(lines.join("\n"))
  switch (kind) {
    case "added":
      return html`<ins>${text}</ins>`
    case "removed":
      return html`<del>${text}</del>`
    case "same":
      return html`<span class="same">${text}</span>`
    case "gap":
      return html`<span class="gap">${counted(lines.length, "line")} not shown</span>`
  }
}

const fieldChange = ({ field, kind, lines: parts }: FieldChange, index: number): Html =>
  html`<section class="card" aria-labelledby="field-${index}">
    <div class="head">
      <h2 id="field-${index}">${field.replaceAll("_", " ")}</h2>
      ${kind === "changed" ? null : tag("info", kind)}
    </div>
    <div class="diff">${parts.map(lines)}</div>
  </section>`

const versionOf = (text: string | null): number | null => (/^[1-9]\d{0,8}$/.test(text ?? "") ? Number(text) : null)

/** What differs between two versions of a character. */
export const versionsScreen = ({ screen }: Console): void =>
  screen(
    {
      path: `${CHARACTERS_PATH}/:app_id/:slug/versions`,
      operationId: "compareCharacterVersions",
      summary: "What differs between two versions of a character"
    },
    (visit) =>
      Effect.gen(function* () {
        const { nowMs, query } = visit
        const character = yield* findAnyCharacter(visit)
        const { app_id: appId, slug, version: current } = character
        const [from, to] = [
          versionOf(query.get("from")) ?? Math.max(1, current - 1),
          versionOf(query.get("to")) ?? current
        ]
        const [profiles, versions = []] = yield* Effect.all([
          FleetCharacters.use((characters) => characters.profiles({ appId, slug }, [from, to])),
          Characters.use((characters) => characters.versions(appId, slug, { before: null, limit: MAX_VERSIONS }))
        ])
        const [before, after] = [from, to].map((asked) => profiles.find(({ version }) => version === asked))
        if (before === undefined || after === undefined) return yield* versionNotFound
        const url = characterUrl(appId, slug)
        const changes = profileDiff(before.profile, after.profile)
        const choose = (name: string, label: string, value: number) =>
          select({
            name,
            label,
            value: String(value),
            options: versions.map(({ version }) => ({ value: String(version), label: `Version ${version}` }))
          })
        return {
          section: CHARACTERS_PATH,
          above: { url, name: character.display_name },
          title: `From version ${from} to ${to}`,
          lead: html`<form class="filters" method="get" action="${url}/versions">
            ${choose("from", "From", from)} ${choose("to", "To", to)} <button type="submit">Compare</button>
          </form>`,
          body: html`<p>
              ${changes.length === 0 ? "They are the same." : `${counted(changes.length, "field")} differ:`}
              <span class="soft">
                version ${from} was written ${when(before.created_at, nowMs)}, version ${to}
                ${when(after.created_at, nowMs)}.
              </span>
            </p>
            ${changes.map(fieldChange)}`
        }
      })
  )
