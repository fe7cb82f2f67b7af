import type { FoundSession } from "#src/db/operators/SessionSearch.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { tag } from "../icons.ts"

/** What an open turn is doing. */
export const openTurn = (answering: boolean, hold: FoundSession["hold"]): Html => {
  if (answering) return tag("info", "being answered")
  if (hold === null) return tag("info", "waits for an answer")
  return tag("warn", hold === "app" ? "waits: the app is suspended" : "waits: the app is moving")
}

export const sessionState = ({ status, exit_reason, open_turns, answering, hold }: FoundSession): Html =>
  status === "active"
    ? open_turns > 0
      ? openTurn(answering, hold)
      : tag("good", "active")
    : html`${tag("none", status)} ${
        exit_reason === null ? null : html`<span class="soft small">${exit_reason.replaceAll("_", " ")}</span>`
      }`
