import { madeAt } from "#pipeline/domain/Id.ts"
import type { AttemptRow, AttemptUnit } from "#src/db/operators/DeliveryAttempts.ts"
import type { Subject } from "#src/health/Problem.ts"
import { attemptIdOf } from "#src/http/operators/operatorDeliveryRoutes.ts"
import { type Names, nameOf } from "#src/http/operators/problemNames.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { counted, duration, when } from "../figures.ts"
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

/** What an attempt went through, for its name. */
export const subjectOf = ({
  app_id,
  channel_id
}: Pick<AttemptRow, "app_id" | "channel_id">): { readonly subject: Subject } => ({
  subject: channel_id.startsWith("bot_") ? { app_id, bot_id: channel_id } : { app_id, channel_id }
})

export const throughName = (row: AttemptRow, names: Names): Html =>
  html`${kindName(row.kind)} <a href="${channelUrl(row.channel_id)}"><bdi>${nameOf(subjectOf(row), names)}</bdi></a>`

export const appName = ({ app_id, app_name }: AttemptRow): Html =>
  html`<a href="/console/apps/${app_id}"><bdi>${app_name ?? app_id}</bdi></a>`

const ofAllChannels = (names: Names): ReadonlyArray<Column<AttemptRow>> => [
  { label: "App", cell: appName },
  { label: "Through", cell: (row) => throughName(row, names) }
]

interface AttemptsTable {
  readonly rows: ReadonlyArray<AttemptRow>
  /** What a row stands for. */
  readonly by: AttemptUnit
  readonly nowMs: number
  readonly empty: Html
  /** Of what they went through. Null: one channel. */
  readonly names: Names | null
}

/** Attempts at deliveries, those of the newest event first. */
export const attemptsTable = ({ rows, by, nowMs, empty, names }: AttemptsTable): Html =>
  table<AttemptRow>({
    label: by === "attempt" ? "Delivery attempts" : "Deliveries",
    columns: [
      {
        label: "Event",
        ordered: "descending",
        cell: ({ session_id, event_id, cursor, person, started_at }) =>
          html`${when(madeAt(event_id) ?? started_at, nowMs)}
            ${
              session_id === null
                ? html`<span class="id">${event_id}</span>`
                : html`<a href="/console/conversations/${session_id}#event-${cursor}"
                      >event ${cursor}${person === null ? null : html` of <bdi>${person}</bdi>`}</a
                    >
                    <span class="id">${event_id}</span>`
            }`
      },
      {
        label: "Tried",
        cell: (row) =>
          html`<a href="${urlOf(row)}">${when(row.started_at, nowMs)}</a>
            ${
              by === "delivery" && row.attempts > 1
                ? html`<span class="soft">${counted(row.attempts, "attempt", "attempts")}</span>`
                : null
            }`
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
      ...(names === null ? [] : ofAllChannels(names)),
      { label: "Took", num: true, cell: ({ latency_ms }) => (latency_ms === null ? "–" : duration(latency_ms)) }
    ],
    rows,
    empty
  })
