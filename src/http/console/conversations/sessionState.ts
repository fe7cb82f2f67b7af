import type { FoundSession } from "#src/db/operators/SessionSearch.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { tag } from "../icons.ts"

export const sessionState = ({ status, exit_reason, open_turns }: FoundSession): Html =>
  status === "active"
    ? open_turns > 0
      ? tag("info", "being answered")
      : tag("good", "active")
    : html`${tag("none", status)} ${
        exit_reason === null ? null : html`<span class="soft small">${exit_reason.replaceAll("_", " ")}</span>`
      }`
