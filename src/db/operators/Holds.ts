import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { HoldEvidence } from "#src/health/Evidence.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { holdEvidence } from "./health/appEvidence.ts"

/** What operators or a restore have put on hold. */
export class Holds extends Context.Service<
  Holds,
  {
    /** Of any kind, oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<HoldEvidence>, DatabaseError>
  }
>()("src/db/operators/Holds") {
  static readonly layer = Layer.effect(
    Holds,
    Effect.gen(function* () {
      const database = yield* Database
      return Holds.of({ list: holdEvidence(null).pipe(Effect.provideService(Database, database)) })
    })
  )
}
