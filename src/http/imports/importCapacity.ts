import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { Imports } from "#src/db/character/Imports.ts"
import { isReplay } from "#src/http/server/idempotent.ts"
import { importLimitReached } from "./importErrors.ts"

/** Maximum number of open imports per app. They use storage, and anybody can get a demo key. */
export const MAX_OPEN = { runtime: 50, demo: 5 } as const

/** Checked before the body is read, so that an app at its limit need not send the file. */
export const requireImportCapacity = Effect.fnUntraced(function* (request: FastifyRequest) {
  const { appId, kind } = request.principal
  const open = yield* Imports.use((imports) => imports.countOpen(appId))
  if (open >= MAX_OPEN[kind] && !(yield* isReplay(request))) return yield* importLimitReached
})
