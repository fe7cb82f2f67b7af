import * as Effect from "effect/Effect"
import type { Usage } from "#pipeline/domain/Turn.ts"
import { Spending, SpendingLimit } from "#pipeline/SpendingLimit.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import type { Activity, Expenses, Payer } from "./Expenses.ts"

/**
 * Runs work outside of a turn that calls a model for at most this amount: reserves it before, and afterwards refunds
 * what was not spent, also if the work is interrupted. Null: the budget or the cap does not cover it, and nothing was
 * done.
 */
export const payUpTo = Effect.fnUntraced(function* <A extends { readonly usage: Usage | null }, R>(
  expenses: Expenses["Service"],
  payer: Payer,
  activity: Activity,
  mostMicroUsd: number,
  work: Effect.Effect<A, never, R>
): Effect.fn.Return<A | null, DatabaseError, R> {
  if (mostMicroUsd === 0) return yield* work
  const expense = yield* expenses.reserve(payer, activity, mostMicroUsd)
  if (expense === null) return null
  const limit = new Spending(mostMicroUsd)
  const value = yield* Effect.provideService(work, SpendingLimit, limit).pipe(
    Effect.onInterrupt(() => Effect.ignore(expenses.settle(expense, limit.spentMicroUsd)))
  )
  yield* expenses.settle(expense, value.usage?.costMicroUsd ?? 0)
  return value
})
