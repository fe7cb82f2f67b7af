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

/** Ids are in the order of time, so that one index serves the filter and the order. */
const conditions = (sql: Sql, filter: AuditFilter) => sql`
  ${filter.actorKind === null ? sql`` : sql`and actor_kind = ${filter.actorKind}`}
  ${filter.actor === null ? sql`` : sql`and actor = ${filter.actor}`}
  ${filter.action === null ? sql`` : sql`and action = ${filter.action}`}
  ${filter.appId === null ? sql`` : sql`and app_id = ${filter.appId}`}
  ${filter.subject === null ? sql`` : sql`and subject = ${filter.subject}`}
  ${filter.since === null ? sql`` : sql`and entry_id >= ${beforeIdsFrom("aud", filter.since)}`}
  ${filter.until === null ? sql`` : sql`and entry_id < ${beforeIdsFrom("aud", filter.until)}`}`

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
            select account_id, entry_id, at, actor_kind, actor, address, credential, action, app_id, subject, detail
            from audit_log where true ${conditions(sql, filter)}
            ${before === null ? sql`` : sql`and entry_id < ${before}`}
            order by entry_id desc limit ${limit}`
          )
      })
    })
  )
}
