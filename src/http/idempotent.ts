import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import type { DatabaseError } from "#src/db/Database.ts"
import { IdempotencyKeys } from "#src/db/IdempotencyKeys.ts"
import { type Success } from "./envelope.ts"
import { type ApiError, idempotencyKeyReused, validationError } from "./errors.ts"

/** The caller's Idempotency-Key, or null. */
export const idempotencyKey = Effect.fnUntraced(function*(request: FastifyRequest) {
  const key = request.headers["idempotency-key"]
  if (key === undefined) return null
  if (typeof key !== "string" || key.length < 1 || key.length > 255) {
    return yield* validationError("headers.idempotency-key: must be 1 to 255 characters")
  }
  // Node reads header bytes as Latin-1; callers send UTF-8.
  const text = Buffer.from(key, "latin1").toString("utf8")
  return text.includes("\uFFFD") ? key : text
})

/** A create that, under a key seen in the last 24 hours, answers as it did then, but for what was shown only once, and creates nothing. */
export const createOnce = <E, R>(request: FastifyRequest, create: Effect.Effect<Success, E, R>): Effect.Effect<Success, E | ApiError | DatabaseError, R | IdempotencyKeys> =>
  Effect.gen(function*() {
    const key = yield* idempotencyKey(request)
    if (key === null) return yield* create
    const path = request.url.split("?", 1)[0] ?? ""
    const keys = yield* IdempotencyKeys
    let shownOnce: object = {}
    const kept = Effect.map(create, (fresh): Success => {
      shownOnce = fresh.shownOnce ?? {}
      return { data: fresh.data, nextActions: fresh.nextActions }
    })
    const result = yield* keys.once({ appId: request.principal.appId, path, key, body: request.body }, kept)
    if (result._tag === "reused") return yield* idempotencyKeyReused
    return result._tag === "fresh" ? { ...result.value, shownOnce } : { ...result.value, data: { ...result.value.data, idempotent_replay: true } }
  })
