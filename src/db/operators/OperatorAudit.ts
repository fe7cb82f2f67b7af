import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { beforeIdsFrom } from "#pipeline/domain/Id.ts"
import type { Actor } from "#src/accounts/Actor.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import type { AuditEntry } from "#src/db/tenancy/AuditEntries.ts"

export interface OperatorAuditEntry extends AuditEntry {
  readonly account_id: string | null
  readonly address: string | null
  readonly credential: string | null
  /** What the operator token that acted is called. Null: something else did. */
  readonly token_name: string | null
  /** Null: it concerns no app, or one that is deleted. */
  readonly app_name: string | null
}

/** Null: any. */
export interface AuditFilter {
  readonly actorKind: Actor["kind"] | null
  readonly actor: string | null
  readonly action: string | null
  readonly appId: string | null
  readonly subject: string | null
  readonly since: Date | null
  readonly until: Date | null
}

/** Sorts after the id of every entry. */
const LAST_ID = `aud_${"z".repeat(26)}`

/**
 * The entries of a filter, newest first. Ids are in the order of time, so an index on a column and the id serves the
 * filter and the order. `is not distinct from` and the range make PostgreSQL use it: for `column = value` it may read
 * all entries in the order of their ids instead, which takes seconds if few or none of them match.
 */
const conditions = (sql: Sql, filter: AuditFilter) => sql`
  ${filter.subject === null ? sql`` : sql`and subject is not distinct from ${filter.subject}`}
  ${filter.actor === null ? sql`` : sql`and actor is not distinct from ${filter.actor}`}
  ${filter.action === null ? sql`` : sql`and action is not distinct from ${filter.action}`}
  ${filter.appId === null ? sql`` : sql`and app_id is not distinct from ${filter.appId}`}
  ${filter.actorKind === null ? sql`` : sql`and actor_kind is not distinct from ${filter.actorKind}`}`
/** The column of the index: the one of the filter that has the fewest entries for a value. */
const column = (sql: Sql, { subject, actor, action, appId }: AuditFilter) =>
  subject !== null
    ? sql`subject`
    : actor !== null
      ? sql`actor`
      : action !== null
        ? sql`action`
        : appId !== null
          ? sql`app_id`
          : sql`actor_kind`
const valueOf = ({ subject, actor, action, appId, actorKind }: AuditFilter) =>
  subject ?? actor ?? action ?? appId ?? actorKind

const range = (sql: Sql, filter: AuditFilter, before: string | null) => {
  const first = filter.since === null ? "" : beforeIdsFrom("aud", filter.since)
  const until = filter.until === null ? LAST_ID : beforeIdsFrom("aud", filter.until)
  const end = before === null || until < before ? until : before
  const value = valueOf(filter)
  return value === null
    ? sql`entry_id >= ${first} and entry_id < ${end}`
    : sql`(${column(sql, filter)}, entry_id) >= (${value}::text, ${first})
      and (${column(sql, filter)}, entry_id) < (${value}::text, ${end})`
}
const order = (sql: Sql, filter: AuditFilter) =>
  valueOf(filter) === null ? sql`entry_id desc` : sql`${column(sql, filter)} desc, entry_id desc`

/** The audit log of the whole server: of operators, of every account, and of apps. */
export class OperatorAudit extends Context.Service<
  OperatorAudit,
  {
    /** Newest first, those before `before`. */
    readonly list: (
      filter: AuditFilter,
      page: { readonly before: string | null; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<OperatorAuditEntry>, DatabaseError>
  }
>()("src/db/operators/OperatorAudit") {
  static readonly layer = Layer.effect(
    OperatorAudit,
    Effect.gen(function* () {
      const { query } = yield* Database
      return OperatorAudit.of({
        list: (filter, { before, limit }) =>
          query<Array<OperatorAuditEntry>>(
            (sql) => sql`
            select account_id, entry_id, at, actor_kind, actor, address, credential, action, app_id, subject, detail,
              (select t.name from operator_tokens t where t.prefix = audit_log.credential) as token_name,
              (select a.name from apps a where a.app_id = audit_log.app_id) as app_name
            from audit_log where ${range(sql, filter, before)} ${conditions(sql, filter)}
            order by ${order(sql, filter)} limit ${limit}`
          )
      })
    })
  )
}
