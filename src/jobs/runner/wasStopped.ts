import * as Cause from "effect/Cause"
import { DatabaseError } from "#src/db/postgres/Database.ts"

/** Whether work has ended for a reason outside of it: its process stops, or does not reach the database. */
export const wasStopped = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return Cause.hasInterruptsOnly(cause) || (error instanceof DatabaseError && error.reason === "unreachable")
}
