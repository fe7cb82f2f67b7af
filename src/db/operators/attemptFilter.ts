import { beforeIdsFrom } from "#pipeline/domain/Id.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import type { OutcomeName } from "#channels/Lanes.ts"
import { has } from "./Position.ts"

export const ATTEMPT_STATES = ["failed", "any", "sent", "not_sent", "unknown", "rejected", "gone", "expired"] as const
/** `failed`: everything but `sent`. */
export type AttemptState = OutcomeName | "failed" | "any"

/** Attempts at deliveries. Null: not filtered by it. */
export interface AttemptFilter {
  readonly appId: string | null
  readonly channelId: string | null
  readonly state: AttemptState
  /** 2: a status from 200 to 299, and so on. 0: no status was received. */
  readonly statusClass: number | null
  /** Part of the code. */
  readonly errorCode: string | null
  readonly eventId: string | null
  /** Events from this time on, and before this time. */
  readonly since: Date | null
  readonly until: Date | null
}

/**
 * The conditions of an attempt `a` that an index answers: which part of the attempts to look through. What an app has
 * delivered is not indexed by app, because that would be written with every delivery.
 */
export const inRange = (sql: Sql, { appId, channelId, state, eventId, since, until }: AttemptFilter) => sql`
  ${state === "any" || state === "sent" ? sql`true` : sql`a.outcome <> 'sent'`}
  and ${appId === null || state === "any" || state === "sent" ? sql`true` : sql`a.app_id = ${appId}`}
  and ${channelId === null ? sql`true` : sql`a.channel_id = ${channelId}`}
  and ${eventId === null ? sql`true` : sql`a.event_id = ${eventId}`}
  and ${since === null ? sql`true` : sql`a.event_id >= ${beforeIdsFrom("evt", since)}`}
  and ${until === null ? sql`true` : sql`a.event_id < ${beforeIdsFrom("evt", until)}`}`

/** The others. */
export const matchesAttempt = (sql: Sql, { appId, state, statusClass, errorCode }: AttemptFilter) => sql`
  (${appId}::text is null or a.app_id = ${appId}) and (${state} in ('failed', 'any') or a.outcome = ${state})
  and (${statusClass}::int is null or coalesce(a.status_code / 100, 0) = ${statusClass}::int)
  and ${has(sql, sql`a.error_code`, errorCode)}`
