import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { bodyBytesOf } from "./parsing.ts"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

/** A body from which on what its reading leaves behind is not to wait for the next of its kind. */
const LARGE_BYTES = 1024 * 1024

/**
 * Has what a large body has left behind collected now. Left alone, the engine waits until as much again has gathered, so that a few of them
 * in a row would take several times the memory of one. It goes by what came and not by what was announced: a small body that
 * does not say how long it is must not hold everybody up for a collection.
 */
export const freeAfterLarge = (request: FastifyRequest): Effect.Effect<void> => Effect.sync(() => {
  if (bodyBytesOf(request) >= LARGE_BYTES) collect()
})
