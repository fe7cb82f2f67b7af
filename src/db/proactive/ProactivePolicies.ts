import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { scheduleProactiveChecks } from "#src/db/conversation/proactiveChecks.ts"
import { VersionConflict } from "#src/db/postgres/VersionConflict.ts"

export interface StoredPolicy {
  /** As the app set it. Missing fields have defaults. */
  readonly policy: object
  readonly version: number
}

const UNTOUCHED: StoredPolicy = { policy: {}, version: 1 }

/** Apps' policies for proactive messages. An app that never set one is at version 1 of the defaults. */
export class ProactivePolicies extends Context.Service<
  ProactivePolicies,
  {
    readonly get: (appId: string) => Effect.Effect<StoredPolicy, DatabaseError>
    /** `change` returns the next policy for the current one, under a row lock. Affected sessions are checked again. */
    readonly update: <E>(
      appId: string,
      expectedVersion: number | undefined,
      change: (policy: object) => Effect.Effect<object, E>
    ) => Effect.Effect<StoredPolicy, E | VersionConflict | DatabaseError>
  }
>()("src/db/proactive/ProactivePolicies") {
  static readonly layer = Layer.effect(
    ProactivePolicies,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database

      const get = (appId: string) =>
        query<Array<StoredPolicy>>(
          (sql) => sql`select policy, version from proactive_policies where app_id = ${appId}`
        ).pipe(Effect.map(([row]) => row ?? UNTOUCHED))

      const update = <E>(
        appId: string,
        expectedVersion: number | undefined,
        change: (policy: object) => Effect.Effect<object, E>
      ) =>
        transaction(
          Effect.gen(function* () {
            yield* query(
              (sql) =>
                sql`insert into proactive_policies (app_id, policy) values (${appId}, '{}') on conflict do nothing`
            )
            yield* query((sql) => sql`select 1 from proactive_policies where app_id = ${appId} for no key update`)
            const { policy, version } = yield* get(appId)
            if (expectedVersion !== undefined && expectedVersion !== version)
              return yield* new VersionConflict({ current: version })
            const next = yield* change(policy)
            yield* query(
              (sql) => sql`
        update proactive_policies set policy =
          ${JSON.stringify(next)}::text::json, version = ${version + 1}::int where app_id = ${appId}`
            )
            yield* query((sql) =>
              scheduleProactiveChecks(sql, sql`select app_id, session_id from relationships where app_id = ${appId}`)
            )
            return { policy: next, version: version + 1 }
          })
        )

      return ProactivePolicies.of({ get, update })
    })
  )
}
