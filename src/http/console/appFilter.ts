import * as Effect from "effect/Effect"
import { type NamedApp, OperatorApps } from "#src/db/operators/OperatorApps.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { input } from "./form.ts"
import type { Visit } from "./Screen.ts"
import { urlWith, words } from "./url.ts"

/** Apps to choose from. */
const MAX_NAMED = 20

export const appInput = (query: URLSearchParams): Html =>
  input({ name: "app", label: "App", value: query.get("app") ?? "", hint: "Its id, or part of its name" })

const theOnly = (found: ReadonlyArray<NamedApp>, text: string): NamedApp | undefined => {
  const named = found.filter(({ name }) => name.toLowerCase() === text.toLowerCase())
  return found.length === 1 ? found[0] : named.length === 1 ? named[0] : undefined
}

const choices = (found: ReadonlyArray<NamedApp>, { path, query }: Pick<Visit, "path" | "query">): Html =>
  html`<p>
    Several apps are called like this. Choose one:
    ${found.slice(0, MAX_NAMED).map(
      ({ app_id, name }) =>
        html`<a href="${urlWith(path, query, { app: app_id })}"><bdi>${name}</bdi></a>
            <span class="id">${app_id}</span> `
    )}
    ${found.length > MAX_NAMED ? "and more" : null}
  </p>`

/**
 * The filters of a visit, with the id of the app in place of part of its name. If several apps have such a name,
 * nothing is listed until one is chosen.
 */
export const withApp = Effect.fnUntraced(function* (visit: Pick<Visit, "path" | "query">) {
  const { query } = visit
  const text = words(query, "app")
  const found =
    text === null || text.startsWith("app_") ? [] : yield* OperatorApps.use((apps) => apps.named(text, MAX_NAMED + 1))
  const only = text === null ? undefined : theOnly(found, text)
  if (only === undefined) return { query, note: found.length === 0 ? null : choices(found, visit) }
  const asked = new URLSearchParams(query)
  asked.set("app", only.app_id)
  return { query: asked, note: html`<p class="soft small">Of the app <bdi>${only.name}</bdi></p>` }
})
