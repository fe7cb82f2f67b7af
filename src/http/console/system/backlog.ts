import type { BacklogRow } from "#src/db/operators/Backlog.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { count, duration } from "../figures.ts"

const waits = (seconds: number | null): string => (seconds === null ? "nothing waits" : duration(seconds * 1000))

const KINDS: Readonly<Record<string, string>> = {
  webhook: "webhooks",
  telegram_byo: "bots",
  telegram_managed: "managed bots"
}

/** Whether the server keeps up: how long the oldest of each kind has waited. */
export const backlogOf = (row: BacklogRow): Html =>
  html`<section class="card" aria-labelledby="backlog">
    <h2 id="backlog">What waits</h2>
    <dl class="figures">
      <div><dt>Replies, the oldest for</dt>
        <dd>${waits(row.oldest_due_turn)} <span class="small">${count(row.open_turns)} open</span></dd></div>
      <div><dt>Telegram updates, the oldest for</dt><dd>${waits(row.oldest_update)}</dd></div>
      <div><dt>Jobs, the oldest for</dt>
        <dd>${waits(row.oldest_job)} <span class="small">${count(row.ready_jobs)} due</span></dd></div>
      ${Object.entries(row.lanes).map(
        ([kind, seconds]) =>
          html`<div><dt>Deliveries to ${KINDS[kind] ?? kind}, the oldest for</dt><dd>${waits(seconds)}</dd></div>`
      )}
      ${
        row.replication_lag === null
          ? null
          : html`<div><dt>Replication is behind by</dt><dd>${duration(row.replication_lag * 1000)}</dd></div>`
      }
    </dl>
  </section>`
