import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Result from "effect/Result"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { type Accepted, Inbox, type InboundMessage, type InboxUnavailable, type Refused } from "#pipeline/Inbox.ts"
import * as PostgresInbox from "#src/db/conversation/PostgresInbox.ts"
import { Allowances } from "#src/db/billing/Allowances.ts"
import { Apps } from "#src/db/tenancy/Apps.ts"
import { Characters } from "#src/db/character/Characters.ts"
import { CharacterArchival } from "#src/db/conversation/CharacterArchival.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { Ledger } from "#src/db/billing/Ledger.ts"
import { Sessions } from "#src/db/conversation/Sessions.ts"
import { Turns } from "#src/db/conversation/Turns.ts"
import type { TestDatabase } from "./TestDatabase.ts"

type Services = Allowances | Apps | CharacterArchival | Characters | Database | Inbox | Ledger | Sessions | Turns
export type Send = Pick<InboundMessage, "appId" | "sessionId"> & Partial<InboundMessage>
/** `accepted`, `replay`, or the reason of the refusal. */
export interface Verdict extends Partial<Accepted> {
  readonly answer: string
}

/**
 * The table access of one process, without HTTP, workers or timers. Several on one database act like several processes.
 */
export interface Engine {
  readonly run: <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<A>
  readonly send: (send: Send) => Promise<Verdict>
  readonly createApp: (budgetMicroUsd?: number) => Promise<string>
  readonly createSession: (appId: string, externalUserRef?: string) => Promise<string>
  readonly close: () => Promise<void>
}

const verdictOf = (result: Result.Result<Accepted, Refused | InboxUnavailable>): Verdict =>
  Result.match(result, {
    onSuccess: (accepted) => ({ ...accepted, answer: accepted.replayed ? "replay" : "accepted" }),
    onFailure: (error) => ({ answer: error._tag === "Refused" ? error.reason : "unavailable" })
  })

export const startEngine = (
  { url }: TestDatabase,
  options: {
    readonly holdMicroUsd?: number
    readonly wrap?: (database: Context.Service.Shape<typeof Database>) => Context.Service.Shape<typeof Database>
  } = {}
): Engine => {
  const { holdMicroUsd = 100, wrap = (database) => database } = options
  const database = Layer.effect(Database, Effect.map(Database, wrap)).pipe(
    Layer.provide(Database.layer({ url: Redacted.make(url), maxConnections: 4 }))
  )
  const runtime = ManagedRuntime.make(
    Layer.mergeAll(
      Apps.layer,
      Allowances.layer,
      Ledger.layer,
      PostgresInbox.layer({ reserve: () => ({ turn: holdMicroUsd, reading: 0, perCharacterMegabyte: 0 }) }),
      Turns.layer,
      Layer.mergeAll(Sessions.layer, CharacterArchival.layer).pipe(Layer.provideMerge(Characters.layer))
    ).pipe(
      Layer.provideMerge(LogSignals.layer),
      Layer.provideMerge(database),
      Layer.provide(Layer.succeed(References.MinimumLogLevel, "Fatal"))
    )
  )
  const run = <A, E>(effect: Effect.Effect<A, E, Services>) => runtime.runPromise(effect)
  return {
    run,
    send: (send) =>
      run(
        Effect.result(
          Inbox.use((inbox) =>
            inbox.accept({ text: "hello", replyMode: "fast", clientMessageId: null, source: "api", ...send })
          )
        )
      ).then(verdictOf),
    createApp: (monthlyBudgetMicroUsd) =>
      run(Apps.use((apps) => apps.create({ name: "test", monthlyBudgetMicroUsd: monthlyBudgetMicroUsd ?? null }))).then(
        ({ appId }) => appId
      ),
    createSession: (appId, externalUserRef = "user-1") =>
      run(
        Effect.gen(function* () {
          yield* Effect.ignore(
            Characters.use((characters) => characters.create(appId, "mara", { display_name: "Mara" }))
          )
          const { session } = yield* Sessions.use((sessions) =>
            sessions.create(appId, {
              characterSlug: "mara",
              externalUserRef,
              proactiveControls: {},
              metadata: {},
              endUser: {},
              newThread: true
            })
          )
          return session.session_id
        })
      ),
    close: () => runtime.dispose()
  }
}
