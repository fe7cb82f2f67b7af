import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { newId } from "#pipeline/domain/Id.ts"
import { CurrentActor } from "#src/accounts/Actor.ts"
import type { Database } from "./Database.ts"

export interface Change {
  readonly accountId: string
  readonly action:
    | "account.created"
    | "account_token.issued" | "account_token.revoked"
    | "app.created" | "app.updated"
    | "caps.updated" | "end_user_caps.updated"
    | "api_key.created" | "api_key.rotated" | "api_key.revoked"
    | "device.approved" | "device.denied"
  readonly appId?: string
  /** The prefix of the key or token. */
  readonly subject?: string
  /** What else is to be known of it later. Never a secret. */
  readonly detail?: object
}

/** Adds a change to the audit log, in the transaction of the change itself. The table takes no update and no delete. */
export const auditing = ({ query }: Context.Service.Shape<typeof Database>) =>
  Effect.fnUntraced(function*({ accountId, action, appId, subject, detail = {} }: Change) {
    const actor = yield* CurrentActor
    yield* query((sql) => sql`
      insert into audit_log (account_id, entry_id, actor_kind, actor, action, app_id, subject, detail)
      values (${accountId}, ${newId("aud")}, ${actor.kind}, ${actor.id}, ${action}, ${appId ?? null}, ${subject ?? null}, ${JSON.stringify(detail)}::text::json)`)
  })
