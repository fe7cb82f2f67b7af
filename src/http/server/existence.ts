import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import type { ApiError } from "./ApiError.ts"
import type { HandlerError } from "./bridge.ts"
import type { HandlerServices } from "./Server.ts"

/**
 * What a route declares of the resource in its path: fails with its 404 where it is not there. It is asked only when
 * the rest of the request is wrong, since absence (404) comes before a bad body (422).
 */
export type Exists = (request: FastifyRequest) => Effect.Effect<void, HandlerError, HandlerServices>

/** By what is found with the parameters of the path. False: they can name nothing. */
export const existence =
  (
    absent: ApiError,
    find: (
      params: Readonly<Record<string, string>>,
      request: FastifyRequest
    ) => false | Effect.Effect<unknown, HandlerError, HandlerServices>
  ): Exists =>
  (request) => {
    const finding = find(request.params as Record<string, string>, request)
    return finding === false
      ? Effect.fail(absent)
      : Effect.flatMap(finding, (found) => (found === undefined ? Effect.fail(absent) : Effect.void))
  }
