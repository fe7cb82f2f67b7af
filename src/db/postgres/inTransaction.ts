import * as Effect from "effect/Effect"
import { Database } from "./Database.ts"

/** Runs the effect as one transaction, or within the one that is open. */
export const inTransaction = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Database.use(({ transaction }) => transaction(self))
