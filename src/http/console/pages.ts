import { type Html, html } from "#src/http/server/page.ts"
import type { Visit } from "./Screen.ts"
import { urlWith } from "./url.ts"

/** Links to the first and the next page of a list. Null when the list fits on one. */
export const pages = ({ path, query }: Pick<Visit, "path" | "query">, nextCursor: string | null): Html | null =>
  nextCursor === null && !query.has("cursor")
    ? null
    : html`<nav class="pages" aria-label="Pages">
        ${query.has("cursor") ? html`<a href="${urlWith(path, query, {})}">First page</a>` : html`<span></span>`}
        ${nextCursor === null ? null : html`<a href="${urlWith(path, query, { cursor: nextCursor })}">Next page →</a>`}
      </nav>`
