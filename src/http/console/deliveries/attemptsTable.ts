import type { AttemptRow } from "#src/db/operators/DeliveryAttempts.ts"
import { attemptIdOf } from "#src/http/operators/operatorDeliveryRoutes.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { duration, when } from "../figures.ts"
import { tag } from "../icons.ts"
import { type Column, table } from "../table.ts"
import { DELIVERIES_PATH } from "./attemptQuery.ts"
import { outcomeTag } from "./outcomes.ts"

const urlOf = ({ event_id: eventId, channel_id: channelId, part, fence }: AttemptRow) =>
  `${DELIVERIES_PATH}/${attemptIdOf({ eventId, channelId, part, fence })}`

export const kindName = (kind: string): string =>
  kind === "" ? "deleted" : kind.startsWith("telegram_") ? "bot" : kind.replaceAll("_", " ")

export const channelUrl = (channelId: string) =>
  channelId.startsWith("bot_") ? `/console/bots/${channelId}` : `/console/webhooks/${channelId}`

const through: Column<AttemptRow> = {
  label: "Through",
  cell: ({ kind, channel_id }) =>
    html`${kindName(kind)} <a class="id" href="${channelUrl(channel_id)}">${channel_id}</a>`
}

/** Attempts at deliveries, those of the newest event first. `of`: whether they went through several channels. */
export const attemptsTable = (
  rows: ReadonlyArray<AttemptRow>,
  nowMs: number,
  empty: Html,
  of: "all channels" | "one channel" = "all channels"
): Html =>
  table<AttemptRow>({
    label: "Delivery attempts",
    columns: [
      {
        label: "When",
        cell: (row) => html`<a href="${urlOf(row)}">${when(row.started_at, nowMs)}</a>`
      },
      {
        label: "Outcome",
        cell: ({ outcome, delivered }) =>
          html`${outcomeTag(outcome)} ${outcome !== "sent" && delivered ? tag("good", "delivered since") : null}`
      },
      {
        label: "Answer",
        cell: ({ status_code, error_code }) =>
          html`${status_code === null ? html`<span class="soft">none</span>` : status_code}
            ${error_code === null ? null : html`<span class="soft"><bdi>${error_code}</bdi></span>`}`
      },
      ...(of === "all channels" ? [through] : []),
      {
        label: "Event",
        cell: ({ session_id, event_id, cursor }) =>
          session_id === null
            ? html`<span class="id">${event_id}</span>`
            : html`<a href="/console/conversations/${session_id}#event-${cursor}">event ${cursor}</a>
              <span class="id">${event_id}</span>`
      },
      { label: "Took", num: true, cell: ({ latency_ms }) => (latency_ms === null ? "–" : duration(latency_ms)) }
    ],
    rows,
    empty
  })
