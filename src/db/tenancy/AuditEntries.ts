import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Actor } from "#src/accounts/Actor.ts"
import type { AuditAction } from "./auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

/** Who changed what, and when. See auditLog. */
export interface AuditEntry {
  readonly entry_id: string
  readonly at: Date
  readonly actor_kind: Actor["kind"]
  readonly actor: string | null
  readonly action: AuditAction
  readonly app_id: string | null
  readonly subject: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

/** Reads the audit log of an account. */
export class AuditEntries extends Context.Service<
  AuditEntries,
  {
    /** Newest first, those before `before`, of one app or of all current and former apps of the account. */
    readonly list: (
      accountId: string,
      filter: { readonly appId: string | null; readonly before: string | null; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<AuditEntry>, DatabaseError>
  }
>()("src/db/tenancy/AuditEntries") {
  static readonly layer = Layer.effect(
    AuditEntries,
    Effect.gen(function* () {
      const { query } = yield* Database
      return AuditEntries.of({
        list: (accountId, { appId, before, limit }) =>
          query<Array<AuditEntry>>(
            (sql) => sql`
        select entry_id, at, actor_kind, actor, action, app_id, subject, detail from audit_log
        where account_id = ${accountId} ${
          appId === null
            ? sql``
            : sql`and app_id =
          ${appId}`
        } ${before === null ? sql`` : sql`and entry_id < ${before}`}
        order by entry_id desc limit ${limit}`
          )
      })
    })
  )
}
