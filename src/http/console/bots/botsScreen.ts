import * as Effect from "effect/Effect"
import { type FleetBot, FleetBots } from "#src/db/operators/FleetBots.ts"
import { positionOf, sortedPage } from "#src/http/operators/position.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { withApp } from "../appFilter.ts"
import type { Console } from "../console.ts"
import { duration, when } from "../figures.ts"
import { tag } from "../icons.ts"
import { pages } from "../pages.ts"
import { type Column, table } from "../table.ts"
import { totalAbove } from "../total.ts"
import { urlWith } from "../url.ts"
import { botFilterOf, botFilters, BOTS_PATH, botSortOf, filterText } from "./botQuery.ts"
import { botReason, sendingState } from "./botStates.ts"

const PER_PAGE = 50
/** A wait that is worth a mark, in seconds. */
const LONG_WAIT = 60

const wait = (seconds: number | null): Html =>
  seconds === null
    ? html`<span class="soft">–</span>`
    : seconds > LONG_WAIT
      ? tag("warn", duration(seconds * 1000))
      : html`${duration(seconds * 1000)}`

export const botName = (bot: Pick<FleetBot, "username" | "bot_id">): Html =>
  html`<a href="${BOTS_PATH}/${bot.bot_id}"><bdi>${bot.username === null ? bot.bot_id : `@${bot.username}`}</bdi></a>`

const columns = (nowMs: number): ReadonlyArray<Column<FleetBot>> => [
  { label: "Bot", cell: botName },
  {
    label: "State",
    sort: { name: "worst", direction: "ascending" },
    cell: (bot) =>
      html`${sendingState(bot)} ${bot.held ? tag("info", "on hold") : null}${
        bot.reason === null ? null : html`<br /><span class="soft small">${botReason(bot.reason)}</span>`
      }`
  },
  { label: "App", cell: ({ app_id, app_name }) => html`<a href="/console/apps/${app_id}"><bdi>${app_name}</bdi></a>` },
  { label: "Character", cell: ({ character_slug }) => html`<bdi>${character_slug}</bdi>` },
  {
    label: "Last in",
    sort: { name: "last_in", direction: "ascending" },
    cell: ({ last_in_at }) => when(last_in_at, nowMs)
  },
  {
    label: "Last out",
    sort: { name: "last_out", direction: "ascending" },
    cell: ({ last_out_at }) => when(last_out_at, nowMs)
  },
  { label: "Waits to be answered", num: true, cell: ({ inbound_lag }) => wait(inbound_lag) },
  { label: "Waits to be sent", num: true, cell: ({ outbound_lag }) => wait(outbound_lag) }
]

/** The fleet, the worst bots first. */
export const botsScreen = ({ screen }: Console): void =>
  screen({ path: BOTS_PATH, operationId: "showBots", summary: "The screen of the bots of all apps" }, (visit) =>
    Effect.gen(function* () {
      const { path, nowMs } = visit
      const { query, note } = yield* withApp(visit)
      const sort = botSortOf(query)
      const after = yield* positionOf(query.get("cursor") ?? undefined)
      const rows = yield* FleetBots.use((bots) => bots.list(botFilterOf(query), sort, { after, limit: PER_PAGE + 1 }))
      const { items, next_cursor } = sortedPage(rows, PER_PAGE, (row) => row.bot_id)
      const filter = filterText(query)
      return {
        section: BOTS_PATH,
        title: "Bots",
        actions: visit.acts
          ? html`<a class="button" href="${BOTS_PATH}/bulk?${filter}">Act on all that match…</a>
              <a class="button first" href="${BOTS_PATH}/attach">Attach a bot</a>`
          : html``,
        lead: html`${botFilters(visit.query)}${note}${yield* totalAbove(
          visit,
          FleetBots.use((bots) => bots.count(botFilterOf(query))),
          ["bot", "bots"]
        )}`,
        live: html`<section class="card flush">
          ${table({
            label: "Bots",
            columns: columns(nowMs),
            rows: items,
            sorting: { order: sort, url: (order) => urlWith(path, visit.query, { sort: order }) },
            empty:
              filter === ""
                ? html`<p>There are no bots yet. People reach a character in Telegram through a bot.</p>
                    ${visit.acts ? html`<a class="button" href="${BOTS_PATH}/attach">Attach a bot</a>` : null}`
                : html`<p>No bot matches these filters.</p>
                    <a class="button" href="${BOTS_PATH}">Clear the filters</a>`
          })}
          ${pages(visit, next_cursor)}
        </section>`
      }
    })
  )
