import { type Html, html } from "#src/http/server/page.ts"

/** How well something is. Each has its own shape and word, because colour alone tells nobody enough. */
export type Tone = "good" | "warn" | "bad" | "info" | "none"

const shape = (tone: Tone): Html => {
  switch (tone) {
    case "good":
      return html`<circle cx="8" cy="8" r="7" fill="currentColor" opacity=".2" /><path
          d="M4.5 8.5l2.5 2.5 4.5-5.5"
          fill="none"
          stroke="currentColor"
          stroke-width="2"
        />`
    case "warn":
      return html`<path d="M8 1.5l7 13H1z" fill="currentColor" opacity=".2" /><path
          d="M8 6v4.5M8 12v1.5"
          stroke="currentColor"
          stroke-width="2"
        />`
    case "bad":
      return html`<path d="M5 1h6l4 4v6l-4 4H5l-4-4V5z" fill="currentColor" opacity=".2" /><path
          d="M5 5l6 6M11 5l-6 6"
          stroke="currentColor"
          stroke-width="2"
        />`
    case "info":
      return html`<circle cx="8" cy="8" r="5" fill="none" stroke="currentColor" stroke-width="2" />`
    case "none":
      return html`<path d="M3 8h10" stroke="currentColor" stroke-width="2" />`
  }
}

export const icon = (tone: Tone): Html => html`<svg viewBox="0 0 16 16" aria-hidden="true">${shape(tone)}</svg>`

/** A state as a word with its shape. */
export const tag = (tone: Tone, word: string): Html => html`<span class="tag ${tone}">${icon(tone)}${word}</span>`
