import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { AccountAuthentication, type AccountUnauthenticated } from "#src/accounts/AccountAuthentication.ts"
import type { Scope } from "#src/accounts/scopes.ts"
import type { ApiError } from "./ApiError.ts"
import {
  idpKeyUsedAsAccountToken,
  invalidAccountToken,
  missingAccountToken,
  runtimeKeyUsed,
  scopeMissing
} from "./errors.ts"
import { streamTokenNotAllowed } from "./streamTokenErrors.ts"

const unauthenticated: Record<AccountUnauthenticated["reason"], ApiError> = {
  missing: missingAccountToken,
  invalid_token: invalidAccountToken,
  runtime_key: runtimeKeyUsed,
  idp_key: idpKeyUsedAsAccountToken,
  stream_token: streamTokenNotAllowed
}

/** Authenticates a request on the account plane. The token must have the scope. */
export const authenticateAccount = (request: FastifyRequest, scope: Scope | null) =>
  AccountAuthentication.use((authentication) => authentication.authenticate(request.headers.authorization, scope)).pipe(
    Effect.catchTags({
      AccountUnauthenticated: ({ reason }) => Effect.fail(unauthenticated[reason]),
      ScopeMissing: (missing) => Effect.fail(scopeMissing(missing.scope))
    })
  )
