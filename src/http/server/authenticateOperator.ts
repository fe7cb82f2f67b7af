import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { OperatorAuthentication } from "#src/accounts/OperatorAuthentication.ts"
import { missingOperatorToken } from "./errors.ts"

/** Authenticates a request of the operator. */
export const authenticateOperator = (request: FastifyRequest) =>
  OperatorAuthentication.use((authentication) => authentication.authenticate(request.headers.authorization)).pipe(
    Effect.catchTag("OperatorUnauthenticated", () => Effect.fail(missingOperatorToken))
  )
