import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { newId } from "#pipeline/domain/Id.ts"
import { type Actor, CurrentActor } from "#src/accounts/Actor.ts"
import type { Database, Sql } from "#src/db/postgres/Database.ts"

export type AuditAction =
  | "account.created"
  | "account_token.issued"
  | "account_token.revoked"
  | "app.created"
  | "app.updated"
  | "app.suspended"
  | "app.resumed"
  | "app.moved"
  | "app.move_cancelled"
  | "caps.updated"
  | "end_user_caps.updated"
  | "end_user.blocked"
  | "end_user.unblocked"
  | "end_user.erased"
  | "end_user.exported"
  | "api_key.created"
  | "api_key.rotated"
  | "api_key.revoked"
  | "device.approved"
  | "device.denied"
  | "telegram.held"
  | "telegram.released"
  | "deliveries.resumed"
  | "server.restored"
  | "secrets.rotated"
  | "operator_token.created"
  | "operator_token.revoked"
  | "console_link.created"
  | "operator.signed_in"
  | "operator.signed_out"
  | "operator.sign_in_failed"
  | "operator_session.revoked"
  | "session.content_opened"
  | "bot.suspended"
  | "bot.resumed"
  | "bot.probed"
  | "bot.secret_rotated"
  | "bot.token_rotated"
  | "bot.rebranded"
  | "bot.attached"
  | "bot.token_replaced"
  | "bot.link_created"
  | "bots.batch_started"
  | "channel.paused"
  | "channel.resumed"
  | "channel.tested"
  | "channel.replayed"
  | "delivery.retried"
  | "deliveries.batch_started"
  | "session.turn_cancelled"
  | "session.ended"
  | "session.rebuilt"
  | "character.test_chat_started"
  | "character.test_message_sent"
  | "job.retried"
  | "job.removed"
  | "alert_channel.created"
  | "alert_channel.resumed"
  | "alert_channel.tested"
  | "alert_channel.deleted"

export interface Change {
  /** The app's account if left out. Without an app either, the entry is about the server, and only operators see it. */
  readonly accountId?: string
  readonly action: AuditAction
  readonly appId?: string
  /**
   * The prefix of the key or token, or the reference of the end-user. For an erased end-user it is the id of the
   * erasure, because nothing else may identify them.
   */
  readonly subject?: string
  /** Further details, such as `before` and `after`. The app's account sees them, too. Never a secret. */
  readonly detail?: object
}

/** The statement that adds an entry, for a transaction that is not one of `Database`. */
export const addEntry = (sql: Sql, actor: Actor, { accountId, action, appId, subject, detail = {} }: Change) => sql`
  insert into audit_log (account_id, entry_id, actor_kind, actor, address, credential, action, app_id, subject, detail)
  values (
    coalesce(${accountId ?? null}, (select account_id from apps where app_id = ${appId ?? null})),
    ${newId("aud")}, ${actor.kind}, ${actor.id}, ${actor.address ?? null}, ${actor.credential ?? null},
    ${action}, ${appId ?? null}, ${subject ?? null}, ${JSON.stringify(detail)}::text::json
  )`

/**
 * Adds an entry to the audit log, in the transaction of the change itself. The table allows no update and no delete.
 */
export const auditing = ({ query }: Context.Service.Shape<typeof Database>) =>
  Effect.fnUntraced(function* (change: Change) {
    const actor = yield* CurrentActor
    yield* query((sql) => addEntry(sql, actor, change))
  })
