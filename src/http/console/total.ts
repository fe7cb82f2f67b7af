import * as Effect from "effect/Effect"
import type { Total } from "#src/db/operators/Total.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { counted } from "./figures.ts"
import type { Visit } from "./Screen.ts"

/** What a total is of: `app`, `apps`. */
type Things = readonly [one: string, many: string]

const shown = ({ value, isExact }: Total, [one, many]: Things): Html =>
  html`<p class="soft small">${isExact ? "" : "At least "}${counted(value, one, many)}</p>`

/** How many rows a list has, above it. It is counted for the page alone, and not at each look for changes. */
export const totalAbove = <E, R>(
  { isLive }: Pick<Visit, "isLive">,
  count: Effect.Effect<Total, E, R>,
  things: Things
): Effect.Effect<Html, E, R> => (isLive ? Effect.succeed(html``) : Effect.map(count, (total) => shown(total, things)))
