import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { newId } from "#pipeline/domain/Id.ts"
import { CurrentActor } from "#src/accounts/Actor.ts"
import { ApiKeys } from "#src/db/tenancy/ApiKeys.ts"
import { Apps } from "#src/db/tenancy/Apps.ts"
import { Characters } from "#src/db/character/Characters.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { type RollingLimit, RollingLimits } from "#src/db/tenancy/RollingLimits.ts"

/** The lifetime limits of a demo key (contract 8). Message characters are code points. */
export const DEMO_LIMITS = {
  characters: 5,
  sessions: 15,
  messages: 150,
  message_characters: 2000,
  credit_usd: 1
} as const
const LIFETIME = Duration.hours(24)

export interface SandboxOptions {
  readonly open: boolean
  /** Keys per address and per fingerprint in any hour. */
  readonly keysPerHour: number
  /** The initial characters, in addition to those that may be created. */
  readonly characters: ReadonlyArray<{ readonly slug: string }>
}

/** The windows in which a caller's keys are counted, each with the caller as far as one without a key is known. */
export type CallerWindows = ReadonlyArray<Omit<RollingLimit, "most">>

export interface Sandbox {
  /** Shown once, never stored. */
  readonly apiKey: string
  readonly appId: string
  readonly expiresAt: Date
  readonly characterSlugs: ReadonlyArray<string>
}

/** The operator does not issue demo keys. */
export class SandboxesClosed extends Schema.TaggedError<SandboxesClosed>()("SandboxesClosed", {}) {}
/** The limit is reached for this many seconds. */
export class SandboxesLimited extends Schema.TaggedError<SandboxesLimited>()("SandboxesLimited", {
  retryAfterSeconds: Schema.Int
}) {}

/** Demo keys, each with its own account and app, which are deleted after it expires: see ExpiredSandboxes. */
export class Sandboxes extends Context.Service<
  Sandboxes,
  {
    readonly isOpen: boolean
    readonly issue: (
      windows: CallerWindows
    ) => Effect.Effect<Sandbox, SandboxesClosed | SandboxesLimited | DatabaseError>
  }
>()("src/db/privacy/Sandboxes") {
  static readonly layer = ({ open, keysPerHour, characters: cast }: SandboxOptions) =>
    Layer.effect(
      Sandboxes,
      Effect.gen(function* () {
        const { query, transaction } = yield* Database
        const limits = yield* RollingLimits
        const apps = yield* Apps
        const keys = yield* ApiKeys
        const characters = yield* Characters

        // Takes from both limits or none: a refusal by one does not use up the other.
        const admit = Effect.fnUntraced(function* (windows: CallerWindows) {
          for (const window of windows) {
            const limit = yield* limits.take({ ...window, most: keysPerHour })
            if (!limit.taken) return yield* new SandboxesLimited({ retryAfterSeconds: limit.retryAfterSeconds })
          }
        }, transaction)

        const make = Effect.gen(function* () {
          const accountId = newId("acc")
          const expiresAt = new Date((yield* Clock.currentTimeMillis) + Duration.toMillis(LIFETIME))
          yield* query(
            (sql) => sql`insert into accounts (account_id, kind, name) values (${accountId}, 'demo', 'Demo sandbox')`
          )
          const { app_id: appId } = yield* Effect.orDie(
            apps.open({ accountId, name: "Demo sandbox", environment: "test" })
          )
          for (const { slug, ...profile } of cast) yield* Effect.orDie(characters.create(appId, slug, profile))
          // Characters created from here on count towards the limit.
          yield* query(
            (sql) => sql`
        insert into allowances (app_id, kind, total_limit_micro_usd, message_limit, message_length_limit,
          character_limit, session_limit)
        values (${appId}, 'app', ${DEMO_LIMITS.credit_usd * 1_000_000},
          ${DEMO_LIMITS.messages}, ${DEMO_LIMITS.message_characters},
            ${DEMO_LIMITS.characters}, ${DEMO_LIMITS.sessions})`
          )
          const made = yield* Effect.orDie(keys.create(appId, { name: "demo key", kind: "demo", expiresAt }))
          if (made === undefined) return yield* Effect.die(new Error("an app just made is gone"))
          return {
            apiKey: made.minted.apiKey,
            appId,
            expiresAt,
            characterSlugs: cast.map(({ slug }) => slug)
          } satisfies Sandbox
        }).pipe(transaction, Effect.provideService(CurrentActor, { kind: "anybody", id: null }))

        return Sandboxes.of({
          isOpen: open,
          issue: Effect.fnUntraced(function* (windows: CallerWindows) {
            if (!open) return yield* new SandboxesClosed()
            yield* admit(windows)
            return yield* make
          })
        })
      })
    )
}
