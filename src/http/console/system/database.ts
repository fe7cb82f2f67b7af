import type { Evidence } from "#src/health/Evidence.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { bytes, duration, meter, when } from "../figures.ts"
import { tag } from "../icons.ts"

export const database = ({ database: found, disks }: Evidence, nowMs: number): Html =>
  html`<section class="card" aria-labelledby="database">
    <h2 id="database">Database and disks</h2>
    <dl class="figures">
      <div>
        <dt>State</dt>
        <dd>${
          found.reachable
            ? found.is_standby
              ? tag("bad", "standby, takes no writes")
              : tag("good", "reachable")
            : tag("bad", "unreachable")
        }</dd>
      </div>
      <div><dt>Answers in</dt><dd>${found.answered_in_ms === null ? "–" : duration(found.answered_in_ms)}</dd></div>
      <div><dt>Oldest transaction</dt><dd>${when(found.oldest_transaction_at, nowMs, "none is open")}</dd></div>
      ${disks.map(
        ({ path, holds, free_bytes, total_bytes }) =>
          html`<div>
            <dt>Disk of the ${holds}</dt>
            <dd>${bytes(free_bytes)} <span class="small">free of ${bytes(total_bytes)}</span></dd>
            ${meter(total_bytes - free_bytes, total_bytes, `${path}: ${bytes(free_bytes)} free`)}
          </div>`
      )}
    </dl>
  </section>`
