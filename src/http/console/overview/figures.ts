import type { ActivityRow } from "#src/db/operators/Activity.ts"
import { hoursOf, todayOf } from "#src/http/operators/overviewFigures.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { lineChart } from "../chart.ts"
import { compact, count, duration, usd } from "../figures.ts"

const MICRO = 1_000_000
const HOUR_MS = 3_600_000
const dash = (ms: number | null) => (ms === null ? "–" : duration(ms))

/** Midnight (UTC) of this day, and how far back the figures reach. */
export const midnightOf = (nowMs: number): Date => new Date(Math.floor(nowMs / (24 * HOUR_MS)) * 24 * HOUR_MS)
export const figuresSince = (nowMs: number): Date => new Date(midnightOf(nowMs).getTime() - 24 * HOUR_MS)

/** What happened in the last day, as small charts. */
export const overviewFigures = (rows: ReadonlyArray<ActivityRow>, nowMs: number): Html => {
  const today = todayOf(rows, midnightOf(nowMs))
  const hours = hoursOf(rows, new Date(nowMs))
  const at = hours.map((hour) => new Date(hour.at))
  const spent = (usd_: number | null) => usd((usd_ ?? 0) * MICRO)
  const shared = { at, by: "hour" } as const
  return html`<section class="cards" aria-label="The last 24 hours">
    ${lineChart({
      ...shared,
      id: "chart-messages",
      title: "Messages",
      summary: `today ${compact(today.messages_in.value ?? 0)} in, ${compact(today.messages_out.value ?? 0)} out`,
      series: [
        { name: "In", values: hours.map(({ messages_in }) => messages_in) },
        { name: "Out", values: hours.map(({ messages_out }) => messages_out) }
      ],
      format: compact,
      least: 4
    })}
    ${lineChart({
      ...shared,
      id: "chart-latency",
      title: "Accepted to replied",
      summary: `today p50 ${dash(today.accept_to_reply_p50_ms.value)}, p99 ${dash(today.accept_to_reply_p99_ms.value)}`,
      series: [
        { name: "p50", values: hours.map((hour) => hour.accept_to_reply_p50_ms) },
        { name: "p99", values: hours.map((hour) => hour.accept_to_reply_p99_ms) }
      ],
      format: duration,
      least: 1000
    })}
    ${lineChart({
      ...shared,
      id: "chart-lost",
      title: "Unknown and expired deliveries",
      summary: `today ${count(today.unknown.value ?? 0)} unknown, ${count(today.expired.value ?? 0)} expired`,
      series: [
        { name: "Unknown", values: hours.map(({ unknown }) => unknown) },
        { name: "Expired", values: hours.map(({ expired }) => expired) }
      ],
      format: count,
      least: 4
    })}
    ${lineChart({
      ...shared,
      id: "chart-spent",
      title: "Spent",
      summary: `today ${spent(today.spent_today_usd.value)}, yesterday ${spent(today.spent_yesterday_usd.value)}`,
      series: [{ name: "Spent", values: hours.map(({ spent_usd }) => spent_usd * MICRO) }],
      format: usd,
      least: 10_000
    })}
  </section>`
}
