import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Evidence } from "#src/health/Evidence.ts"
import { shownInHealth } from "#src/health/ModelCondition.ts"
import { findProblems } from "#src/health/findProblems.ts"
import type { Problem } from "#src/health/Problem.ts"
import { Database, DatabaseError } from "#src/db/postgres/Database.ts"
import { Disks } from "./Disks.ts"
import { Presence } from "./Presence.ts"
import { budgetEvidence, holdEvidence, mismatchEvidence } from "./health/appEvidence.ts"
import { botEvidence, suspendedBots } from "./health/botEvidence.ts"
import { askDatabase } from "./health/databaseEvidence.ts"
import { channelEvidence, laneEvidence, unknownEvidence } from "./health/deliveryEvidence.ts"
import { MOST } from "./health/scope.ts"
import { jobEvidence, modelEvidence, queueEvidence, workerEvidence } from "./health/workEvidence.ts"

/** How long the evidence may take. A database that takes longer counts as unreachable. */
const WITHIN = "5 seconds"
/** Statements at a time: some connections are left to the requests of this process. */
const AT_ONCE = { concurrency: 4 } as const

export interface Findings {
  readonly evidence: Evidence
  readonly problems: ReadonlyArray<Problem>
}

const NOTHING = {
  workers: [],
  queue: [],
  jobs: [],
  model: {
    replies_1m: 0,
    failed_1m: 0,
    reach_1m: 0,
    replies_5m: 0,
    failed_5m: 0,
    reach_5m: 0,
    failed_since_ok: 0,
    reach_since_ok: 0,
    last_ok_at: null,
    last_failed_at: null,
    failing_since: null,
    last_error_code: null,
    last_failure: null,
    last_said: null
  },
  modelCondition: {},
  bots: [],
  channels: [],
  lanes: [],
  unknown: [],
  budgets: [],
  mismatches: [],
  holds: [],
  suspendedBots: [],
  complete: false
} as const

/** What is wrong, with the evidence: of one app, or of everything. */
export class Health extends Context.Service<
  Health,
  {
    /** Also answers if the database does not. */
    readonly ofServer: Effect.Effect<Findings>
    /** What affects one app: its own things, and what is wrong with the server as a whole. */
    readonly ofApp: (appId: string) => Effect.Effect<Findings, DatabaseError>
  }
>()("src/db/operators/Health") {
  static readonly layer = Layer.effect(
    Health,
    Effect.gen(function* () {
      const database = yield* Database
      const disks = yield* Disks
      const presence = yield* Presence

      const ofTables = (appId: string | null) =>
        Effect.all(
          {
            workers: workerEvidence,
            queue: queueEvidence(appId),
            jobs: appId === null ? jobEvidence : Effect.succeed([]),
            model: modelEvidence(appId),
            bots: botEvidence(appId),
            channels: channelEvidence(appId),
            lanes: laneEvidence(appId),
            unknown: unknownEvidence(appId),
            budgets: budgetEvidence(appId),
            mismatches: mismatchEvidence(appId),
            holds: holdEvidence(appId),
            suspendedBots: suspendedBots(appId)
          },
          AT_ONCE
        )

      const read = Effect.fnUntraced(
        function* (appId: string | null) {
          const { now, found } = yield* askDatabase
          const tables = yield* ofTables(appId)
          const isFull = Object.values(tables).some((rows) => Array.isArray(rows) && rows.length >= MOST)
          return {
            at: now,
            database: { reachable: true, unreachable_since: null, ...found },
            disks: yield* disks.read,
            ...tables,
            modelCondition: shownInHealth()?.figures(yield* Clock.currentTimeMillis) ?? {},
            complete: !isFull
          } as Evidence
        },
        Effect.provideService(Database, database)
      )

      const withoutDatabase = Effect.gen(function* () {
        const at = new Date(yield* Clock.currentTimeMillis)
        const since = (yield* presence.unreachableSince) ?? at
        return {
          at,
          database: {
            reachable: false,
            unreachable_since: since,
            answered_in_ms: null,
            clock_ahead_seconds: null,
            is_standby: false,
            asynchronous_standbys: 0,
            direct_address: null,
            oldest_transaction_at: null
          },
          disks: yield* disks.read,
          ...NOTHING
        } as Evidence
      })

      const judge = (evidence: Evidence): Findings => ({ evidence, problems: findProblems(evidence) })

      return Health.of({
        ofServer: read(null).pipe(
          Effect.timeoutOption(WITHIN),
          Effect.map(Option.getOrUndefined),
          Effect.catchTag("DatabaseError", (error) =>
            Effect.as(Effect.logWarning("health could not be read", { reason: error.message }), undefined)
          ),
          Effect.flatMap((evidence) => (evidence === undefined ? withoutDatabase : Effect.succeed(evidence))),
          Effect.map(judge)
        ),
        ofApp: (appId) => Effect.map(read(appId), judge)
      })
    })
  )
}
