import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { Imports } from "#src/db/character/Imports.ts"
import { isReplay } from "#src/http/server/idempotent.ts"
import { importLimitReached } from "./importErrors.ts"

/** Imports of an app that wait at once: they take room, and anybody can fetch a demo key. */
export const MOST_OPEN = { runtime: 50, demo: 5 } as const

/** Before the body is read: an app that has no room for another import need not send one. */
export const requireRoom = Effect.fnUntraced(function* (request: FastifyRequest) {
  const { appId, kind } = request.principal
  const open = yield* Imports.use((imports) => imports.countOpen(appId))
  if (open >= MOST_OPEN[kind] && !(yield* isReplay(request))) return yield* importLimitReached
})
