import * as Effect from "effect/Effect"
import { isId } from "#pipeline/domain/Id.ts"
import { FleetBatches } from "#src/db/operators/FleetBatches.ts"
import { FleetBots } from "#src/db/operators/FleetBots.ts"
import type { BatchAction } from "#src/db/telegram/batches/batchKinds.ts"
import type { StoredBatch, StoredItem } from "#src/db/telegram/batches/StoredBatch.ts"
import { anyBatchNotFound } from "#src/http/operators/operatorErrors.ts"
import { type Html, html } from "#src/http/server/page.ts"
import type { Console } from "../console.ts"
import { count, meter } from "../figures.ts"
import { channelUrl } from "../deliveries/attemptsTable.ts"
import { tag } from "../icons.ts"
import { table } from "../table.ts"
import { retriedParts } from "./retriedDeliveries.ts"

export const BATCHES_PATH = "/console/batches"
const SHOWN_ITEMS = 100
const BOTS = { url: "/console/bots", name: "Bots" } as const
const DELIVERIES = { url: "/console/deliveries", name: "Deliveries" } as const

const TITLES: Readonly<Record<BatchAction, string>> = {
  attach: "Attach bots",
  create_managed: "Create managed bots",
  suspend: "Suspend bots",
  resume: "Resume bots",
  probe: "Ask Telegram about bots",
  rotate_secret: "New webhook secrets",
  rotate_token: "New tokens",
  rebrand: "Update profiles",
  redeliver: "Retry deliveries"
}

const progress = ({ total, done: finished, failed }: StoredBatch, outcomes: Html): Html =>
  html`<section class="card" aria-labelledby="progress">
    <h2 id="progress">${count(finished + failed)} of ${count(total)} done</h2>
    ${meter(finished + failed, Math.max(1, total), `${finished + failed} of ${total} done`, "work")}
    <p class="row">
      ${outcomes}
      ${finished + failed === total ? html`<strong>Finished.</strong>` : html`<span>Still running.</span>`}
    </p>
  </section>`

const succeeded = ({ done: finished, failed }: StoredBatch): Html =>
  html`${tag("good", `${count(finished)} succeeded`)}
  ${failed > 0 ? tag("bad", `${count(failed)} failed`) : tag("none", "none failed")}`

const itemsTable = (items: ReadonlyArray<StoredItem>, names: ReadonlyMap<string, string>): Html =>
  table<StoredItem>({
    label: "Each of them",
    columns: [
      { label: "Number", cell: ({ item }) => String(Number(item)) },
      {
        label: "Bot",
        cell: ({ channel_id: id }) => html`<a href="${channelUrl(id)}"><bdi>${names.get(id) ?? id}</bdi></a>`
      },
      {
        label: "State",
        cell: ({ status }) => tag(status === "done" ? "good" : status === "failed" ? "bad" : "info", status)
      },
      { label: "Error", cell: ({ error }) => html`<bdi>${error ?? "–"}</bdi>` }
    ],
    rows: items,
    empty: html`<p>Nothing matched.</p>`
  })

/** How far an action on many is, and what became of each. */
export const batchScreen = ({ screen }: Console): void =>
  screen(
    { path: `${BATCHES_PATH}/:batch_id`, operationId: "showBatch", summary: "The progress of an action on many" },
    ({ params }) =>
      Effect.gen(function* () {
        const id = params["batch_id"] ?? ""
        const batches = yield* FleetBatches
        const batch = (isId("bat", id) ? yield* batches.get(id) : undefined) ?? (yield* anyBatchNotFound)
        const isRetry = batch.action === "redeliver"
        const { outcomes, list } = isRetry
          ? yield* retriedParts(batch, SHOWN_ITEMS)
          : yield* Effect.gen(function* () {
              const items = yield* batches.items(id, { after: null, limit: SHOWN_ITEMS })
              const names = yield* FleetBots.use((bots) => bots.names(items.map(({ channel_id }) => channel_id)))
              return { outcomes: succeeded(batch), list: itemsTable(items, names) }
            })
        const above = isRetry ? DELIVERIES : BOTS
        return {
          section: above.url,
          above,
          title: TITLES[batch.action],
          live: html`${progress(batch, outcomes)}
            <section class="card flush" aria-labelledby="items">
              <h2 id="items">Each of them</h2>
              ${list}
              ${batch.total > SHOWN_ITEMS ? html`<p class="pages">The first ${SHOWN_ITEMS} are shown.</p>` : null}
            </section>`
        }
      })
  )
