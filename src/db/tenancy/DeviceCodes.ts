import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"
import { CurrentActor } from "#src/accounts/Actor.ts"
import { mint } from "#src/accounts/credential.ts"
import type { Scope } from "#src/accounts/scopes.ts"
import { newUserCode } from "#src/accounts/userCode.ts"
import { type AccountToken, AccountTokens } from "./AccountTokens.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

/** How long a person may take. */
export const LIFETIME_SECONDS = 900
/** The polling interval. Each early poll adds 5 seconds (RFC 8628, 3.5). */
export const INTERVAL_SECONDS = 5

export interface DeviceRequest {
  readonly clientName: string
  readonly scopes: ReadonlyArray<Scope>
}

export interface StartedDevice {
  /** Only for the client. Stored as a hash, like the user code. */
  readonly deviceCode: string
  readonly userCode: string
  readonly expiresAt: Date
}

/** `expired`: it has expired, was used, or never existed. */
export type Polled =
  | { readonly _tag: "issued"; readonly token: AccountToken & { readonly secret: string } }
  | { readonly _tag: "pending" | "too_soon"; readonly intervalSeconds: number }
  | { readonly _tag: "denied" | "expired" }

interface PolledRow {
  readonly status: string
  readonly account_id: string | null
  readonly client_name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly interval_seconds: number
  readonly expired: boolean
  readonly too_soon: boolean
}

export const hashOf = (code: string): Buffer => createHash("sha256").update(code).digest()

/** Device codes (RFC 8628), from the perspective of the client. */
export class DeviceCodes extends Context.Service<
  DeviceCodes,
  {
    readonly start: (request: DeviceRequest) => Effect.Effect<StartedDevice, DatabaseError>
    /** Returns the status, and the token once it is available. The token can be taken once. */
    readonly poll: (deviceCode: string) => Effect.Effect<Polled, DatabaseError>
    /** Deletes codes that can no longer be used. */
    readonly expire: Effect.Effect<void, DatabaseError>
  }
>()("src/db/tenancy/DeviceCodes") {
  static readonly layer = Layer.effect(
    DeviceCodes,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const tokens = yield* AccountTokens

      const start = ({ clientName, scopes }: DeviceRequest): Effect.Effect<StartedDevice, DatabaseError> =>
        Effect.gen(function* () {
          const { secret: deviceCode, secretHash } = mint("dc_")
          const userCode = newUserCode()
          const [made] = yield* query<Array<{ expires_at: Date }>>(
            (sql) => sql`
          insert into device_codes (device_code_hash, user_code_hash, client_name, scopes, interval_seconds, expires_at)
          values (${secretHash}, ${hashOf(userCode)},
            ${clientName}, ${scopes}::text[],
              ${INTERVAL_SECONDS}, now() + ${LIFETIME_SECONDS}::int * interval '1 second')
          on conflict (user_code_hash) do nothing returning expires_at`
          )
          return made === undefined
            ? yield* start({ clientName, scopes })
            : { deviceCode, userCode, expiresAt: made.expires_at }
        })

      const poll = Effect.fnUntraced(function* (deviceCode: string): Effect.fn.Return<Polled, DatabaseError> {
        const hash = hashOf(deviceCode)
        const [row] = yield* query<Array<PolledRow>>(
          (sql) => sql`
        select status, account_id, client_name, array_to_json(scopes) as scopes, interval_seconds,
          expires_at <= clock_timestamp() as expired,
          coalesce(polled_at > clock_timestamp() - interval_seconds * interval '1 second', false) as too_soon
        from device_codes where device_code_hash = ${hash} for update`
        )
        if (row === undefined || row.expired || row.status === "redeemed") return { _tag: "expired" }
        if (row.status === "denied") return { _tag: "denied" }
        if (row.account_id !== null && row.status === "approved") {
          yield* query((sql) => sql`update device_codes set status = 'redeemed' where device_code_hash = ${hash}`)
          const token = yield* tokens
            .issue({ accountId: row.account_id, clientName: row.client_name, scopes: row.scopes })
            .pipe(Effect.provideService(CurrentActor, { kind: "person", id: null }))
          return { _tag: "issued", token }
        }
        const intervalSeconds = row.interval_seconds + (row.too_soon ? INTERVAL_SECONDS : 0)
        yield* query(
          (sql) =>
            sql`update device_codes set interval_seconds =
              ${intervalSeconds}, polled_at = clock_timestamp() where device_code_hash = ${hash}`
        )
        return { _tag: row.too_soon ? "too_soon" : "pending", intervalSeconds }
      }, transaction)

      return DeviceCodes.of({
        start,
        poll,
        // After a day, so that a late client gets the same answer as one in time.
        expire: query((sql) => sql`delete from device_codes where expires_at < now() - interval '1 day'`).pipe(
          Effect.asVoid
        )
      })
    })
  )
}
