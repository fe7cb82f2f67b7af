import * as Effect from "effect/Effect"
import { ApiError } from "./ApiError.ts"

/** Work that a field of the request asks for: its refusals are about that field. */
export const about =
  (field: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.mapError(work, (error) => (error instanceof ApiError ? (error.about(field) as E & ApiError) : error))
