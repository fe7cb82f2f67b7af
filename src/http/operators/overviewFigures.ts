import * as z from "zod"
import type { ActivityRow } from "#src/db/operators/Activity.ts"
import { addWaits, waitAt } from "#src/health/waitScale.ts"
import { ProblemData } from "./problemSchemas.ts"

const time = z.iso.datetime()
const HOUR_MS = 3_600_000

export const FigureData = z.object({
  value: z.number().nullable().describe("null: nothing was counted"),
  precision: z
    .enum(["exact", "rolled_up", "estimate"])
    .describe(
      "exact: counted for this answer. rolled_up: counted once a minute. " +
        "estimate: up to 15 % too high, and from a sample of the replies if there are many"
    )
})

export const AttentionData = z.object({
  kind: ProblemData.shape.kind,
  app_id: z.string().nullable().describe("null: the server as a whole"),
  app_name: z.string().nullable().describe("null: the server as a whole, or an app that is deleted"),
  names: z
    .array(z.string())
    .describe(
      "What the examples are about, as people call it: apps, bots, masked addresses of webhooks. Empty: the server"
    ),
  severity: ProblemData.shape.severity,
  problems: z.int().describe("How many equal problems this row stands for"),
  reach: ProblemData.shape.reach.describe("How many conversations they reach together. null: everybody's"),
  since: time.nullable().describe("Since when the first one lasts"),
  cause: z.string(),
  next_step: ProblemData.shape.next_step,
  examples: z.array(ProblemData).describe("Up to five of them")
})

export const PointData = z.object({
  at: time.describe("Beginning of the hour"),
  messages_in: z.int(),
  messages_out: z.int(),
  accept_to_reply_p50_ms: z
    .number()
    .nullable()
    .describe("From accepting a message to its reply on the log. Deliveries are not part of it"),
  accept_to_reply_p99_ms: z.number().nullable(),
  unknown: z.int(),
  expired: z.int(),
  spent_usd: z.number()
})

const total = (rows: ReadonlyArray<ActivityRow>, of: (row: ActivityRow) => number) =>
  rows.reduce((sum, row) => sum + of(row), 0)
const usd = (rows: ReadonlyArray<ActivityRow>) => total(rows, ({ spent_micro_usd }) => spent_micro_usd) / 1_000_000

/** The sums of a period. */
const sumsOf = (rows: ReadonlyArray<ActivityRow>) => {
  const waits = addWaits(rows.map((row) => row.waits))
  return {
    messages_in: total(rows, (row) => row.messages_in),
    messages_out: total(rows, (row) => row.messages_out),
    accept_to_reply_p50_ms: waitAt(0.5, waits),
    accept_to_reply_p99_ms: waitAt(0.99, waits),
    unknown: total(rows, (row) => row.unknown),
    expired: total(rows, (row) => row.expired),
    spent_usd: usd(rows)
  }
}

const rolledUp = (value: number) => ({ value, precision: "rolled_up" as const })
const estimate = (value: number | null) => ({ value, precision: "estimate" as const })

/** The figures of a day (UTC), of the periods since the day before. */
export const todayOf = (rows: ReadonlyArray<ActivityRow>, midnight: Date) => {
  const today = rows.filter(({ at }) => at >= midnight)
  const sums = sumsOf(today)
  return {
    from: midnight.toISOString(),
    as_of: rows.at(-1)?.at.toISOString() ?? null,
    messages_in: rolledUp(sums.messages_in),
    messages_out: rolledUp(sums.messages_out),
    accept_to_reply_p50_ms: estimate(sums.accept_to_reply_p50_ms),
    accept_to_reply_p99_ms: estimate(sums.accept_to_reply_p99_ms),
    unknown: rolledUp(sums.unknown),
    expired: rolledUp(sums.expired),
    spent_today_usd: rolledUp(sums.spent_usd),
    spent_yesterday_usd: rolledUp(usd(rows.filter(({ at }) => at < midnight)))
  }
}

/** The last 24 hours, hour by hour. */
export const hoursOf = (rows: ReadonlyArray<ActivityRow>, now: Date) => {
  const current = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS
  return Array.from({ length: 24 }, (_, index) => {
    const from = current - (23 - index) * HOUR_MS
    const of = rows.filter(({ at }) => at.getTime() >= from && at.getTime() < from + HOUR_MS)
    return { at: new Date(from).toISOString(), ...sumsOf(of) }
  })
}
