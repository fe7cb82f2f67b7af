import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { bodyHash } from "#src/db/tenancy/bodyHash.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { IdempotencyKeys } from "#src/db/tenancy/IdempotencyKeys.ts"
import type { Success } from "./envelope.ts"
import type { ApiError } from "./ApiError.ts"
import { knownCaller } from "./Credential.ts"
import { idempotencyKeyReused, validationError } from "./errors.ts"
import { rawBody } from "./body/parsing.ts"

/** The caller's Idempotency-Key, or null. */
export const idempotencyKey = Effect.fnUntraced(function* (request: FastifyRequest) {
  const key = request.headers["idempotency-key"]
  if (key === undefined) return null
  if (typeof key !== "string" || key.length < 1 || key.length > 255) {
    return yield* validationError("headers.idempotency-key: must be 1 to 255 characters")
  }
  // Node decodes headers as Latin-1, but callers send UTF-8.
  const text = Buffer.from(key, "latin1").toString("utf8")
  return text.includes("\uFFFD") ? key : text
})

/** The path by its route and parameters, so that different spellings of a URL are the same. */
const pathOf = ({ routeOptions, params }: FastifyRequest): string =>
  (routeOptions.url ?? "").replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent((params as Record<string, string>)[name] ?? "")
  )

/** Whether there is already an answer under this request's Idempotency-Key. Its body may have been different. */
export const isReplay = Effect.fnUntraced(function* (request: FastifyRequest) {
  const key = yield* idempotencyKey(request)
  if (key === null) return false
  return yield* IdempotencyKeys.use((keys) => keys.knows({ scope: knownCaller(request), path: pathOf(request), key }))
})

/**
 * A create. Under a key that was used in the last 24 hours, it returns the earlier answer without what is shown only
 * once, and creates nothing. `hash` is the hash of a body that was read elsewhere.
 */
export const createOnce = <E, R>(
  request: FastifyRequest,
  create: Effect.Effect<Success, E, R>,
  hash?: Buffer
): Effect.Effect<Success, E | ApiError | DatabaseError, R | IdempotencyKeys> =>
  Effect.gen(function* () {
    const key = yield* idempotencyKey(request)
    if (key === null) return yield* create
    const keys = yield* IdempotencyKeys
    let once: object = {}
    const kept = Effect.map(create, ({ shownOnce = {}, ...fresh }): Success => {
      once = shownOnce
      return fresh
    })
    const result = yield* keys.once(
      {
        scope: knownCaller(request),
        path: pathOf(request),
        key,
        bodyHash: hash ?? bodyHash(rawBody(request.body))
      },
      kept
    )
    if (result._tag === "reused") return yield* idempotencyKeyReused
    return result._tag === "fresh"
      ? { ...result.value, shownOnce: once }
      : { ...result.value, data: { ...result.value.data, idempotent_replay: true } }
  })
