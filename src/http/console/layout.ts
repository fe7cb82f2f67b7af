import { type Html, html } from "#src/http/server/page.ts"
import { SCRIPT, STYLE } from "./assets.ts"
import type { Flash } from "./flash.ts"
import { type Screen, SECTIONS, type Section } from "./Screen.ts"

/** Scripts and styles come only from files of this server, never from the text of a page. */
export const CONSOLE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/**
 * htmx adds no style of its own, sends requests only to this server, and loads no extension but the stream of events.
 */
const HTMX = JSON.stringify({ includeIndicatorCSS: false, mode: "same-origin", history: false, extensions: "sse" })

const mark = html`<svg viewBox="0 0 20 20" aria-hidden="true">
  <path d="M3 4h14v9H9l-4 4v-4H3z" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" />
  <circle cx="7.5" cy="8.5" r="1.2" fill="currentColor" /><circle cx="12.5" cy="8.5" r="1.2" fill="currentColor" />
</svg>`

const navigation = (section: Section) => html`<nav aria-label="Screens">
  <ul>
    ${SECTIONS.map(
      ({ path, name }) =>
        html`<li>
          <a href="${path}" ${path === section ? html`aria-current="page"` : null}>${name}</a>
        </li>`
    )}
  </ul>
</nav>`

/** Hidden until the script knows the state, so that a page without scripts does not claim to be live. */
const liveState = html`<p class="live" id="live-state" data-state="reconnecting" hidden>
  <span data-label role="status"></span><button class="slight" type="button">Pause</button>
</p>`

const flashed = (flash: Flash | null) =>
  flash === null
    ? null
    : html`<div class="flash ${flash.tone}" role="${flash.tone === "bad" ? "alert" : "status"}">
        <p>${flash.text}</p>
        ${flash.fix === undefined ? null : html`<p class="small">${flash.fix}</p>`}
      </div>`

/**
 * The document around a screen. `who` names the operator and lets them sign out. `stream`: where its changes come from.
 */
export const layout = (
  { section, title, above, actions, lead, live, body }: Screen,
  { flash, who, stream }: { readonly flash: Flash | null; readonly who: Html; readonly stream: string }
): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="htmx-config" content="${HTMX}" />
        <title>${title} · Troupe</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${STYLE.path}" />
        <script src="${SCRIPT.path}" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <div class="frame">
          <header class="bar">
            <a class="brand" href="/console">${mark}Troupe</a>
            ${navigation(section)}
            <div class="who">${who}</div>
          </header>
          <main id="main" tabindex="-1">
            ${above === undefined ? null : html`<p class="crumb"><a href="${above.url}">← ${above.name}</a></p>`}
            <div class="head">
              <h1>${title}</h1>
              <div class="row">${actions ?? null}${live === undefined ? null : liveState}</div>
            </div>
            ${flashed(flash)}${lead ?? null}
            ${
              live === undefined
                ? null
                : html`<div class="stack" id="live" hx-sse:connect="${stream}" hx-swap="innerMorph">${live}</div>`
            }
            ${body ?? null}
          </main>
        </div>
      </body>
    </html> `.text
