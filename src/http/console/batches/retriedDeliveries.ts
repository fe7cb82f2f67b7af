import * as Effect from "effect/Effect"
import { FleetBatches } from "#src/db/operators/FleetBatches.ts"
import type { RetriedCounts, RetriedDelivery } from "#src/db/operators/retriedDeliveries.ts"
import type { StoredBatch } from "#src/db/telegram/batches/StoredBatch.ts"
import { nameOf, namesOf } from "#src/http/operators/problemNames.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { DELIVERIES_PATH } from "../deliveries/attemptQuery.ts"
import { channelUrl, subjectOf } from "../deliveries/attemptsTable.ts"
import { outcomeTag } from "../deliveries/outcomes.ts"
import { count } from "../figures.ts"
import { tag } from "../icons.ts"
import { table } from "../table.ts"

/** That a delivery was requested says nothing yet: what counts is the attempt after it. */
const counted = ({ arrived, failed_again, waiting }: RetriedCounts, { failed }: StoredBatch): Html =>
  html`${tag(arrived > 0 ? "good" : "none", `${count(arrived)} arrived`)}
  ${tag(failed_again > 0 ? "bad" : "none", `${count(failed_again)} failed again`)}
  ${tag(waiting > 0 ? "info" : "none", `${count(waiting)} requested`)}
  ${failed > 0 ? tag("bad", `${count(failed)} not requested`) : null}`

const state = ({ status, outcome }: RetriedDelivery): Html =>
  outcome === "sent"
    ? tag("good", "arrived")
    : outcome !== null
      ? html`${tag("bad", "failed again")} ${outcomeTag(outcome)}`
      : status === "done"
        ? tag("info", "requested")
        : status === "failed"
          ? tag("bad", "not requested")
          : tag("info", "pending")

/** Of a batch that repeats deliveries: how many arrived, and the first of them. */
export const retriedParts = Effect.fnUntraced(function* (batch: StoredBatch, limit: number) {
  const batches = yield* FleetBatches
  const [counts, rows] = yield* Effect.all([
    batches.countRetried(batch.batch_id),
    batches.retried(batch.batch_id, limit)
  ])
  const names = yield* namesOf(rows.map(subjectOf))
  const list = table<RetriedDelivery>({
    label: "Each of them",
    columns: [
      { label: "Number", cell: ({ item }) => String(Number(item)) },
      {
        label: "Event",
        cell: ({ event_id: id }) =>
          id === null
            ? html`<span class="soft">deleted</span>`
            : html`<a class="id" href="${`${DELIVERIES_PATH}?state=any&event=${id}`}">${id}</a>`
      },
      {
        label: "Through",
        cell: (row) => html`<a href="${channelUrl(row.channel_id)}"><bdi>${nameOf(subjectOf(row), names)}</bdi></a>`
      },
      { label: "State", cell: state },
      {
        label: "Answer",
        cell: ({ status_code: status, error_code, error }) => {
          const code = error ?? error_code ?? (status === null ? "–" : "")
          return html`${status ?? ""} <span class="soft"><bdi>${code}</bdi></span>`
        }
      }
    ],
    rows,
    empty: html`<p>Nothing matched.</p>`
  })
  return { outcomes: counted(counts, batch), list }
})
