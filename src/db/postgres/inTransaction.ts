import * as Effect from "effect/Effect"
import { Database } from "./Database.ts"

/** Runs the effect in a transaction, or in the one that is already open. */
export const inTransaction = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Database.use(({ transaction }) => transaction(self))
