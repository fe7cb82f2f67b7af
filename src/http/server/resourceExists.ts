import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import type { ApiError } from "./ApiError.ts"
import type { HandlerError } from "./bridge.ts"
import type { HandlerServices } from "./Server.ts"

/**
 * A route's check that the resource in its path exists. Fails with its 404. It only runs if the rest of the request is
 * invalid, because 404 takes precedence over 422.
 */
export type Exists = (request: FastifyRequest) => Effect.Effect<void, HandlerError, HandlerServices>

/** Looks up the resource by the path parameters. False: they cannot name one. */
export const resourceExists =
  (
    notFound: ApiError,
    find: (
      params: Readonly<Record<string, string>>,
      request: FastifyRequest
    ) => false | Effect.Effect<unknown, HandlerError, HandlerServices>
  ): Exists =>
  (request) => {
    const finding = find(request.params as Record<string, string>, request)
    return finding === false
      ? Effect.fail(notFound)
      : Effect.flatMap(finding, (found) => (found === undefined ? Effect.fail(notFound) : Effect.void))
  }
