import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { FailedImports } from "#src/db/character/FailedImports.ts"
import { ApiError } from "#src/http/server/ApiError.ts"
import { requestGivenUp } from "#src/http/server/errors.ts"
import { importLimitReached } from "./importErrors.ts"

/** Whether an error is about the file, and not about the request or the app. */
const isOfFile = ({ code }: ApiError): boolean =>
  code === requestGivenUp.code || (code !== importLimitReached.code && code?.startsWith("import_") === true)

/** Keeps the reason for operators, who can then tell the app's developers what is wrong with their files. */
export const recordFailure = ({ principal, headers }: FastifyRequest, error: unknown) =>
  error instanceof ApiError && error.code !== null && isOfFile(error)
    ? FailedImports.use((failed) =>
        failed.record(principal.appId, {
          bytes: Number(headers["content-length"] ?? 0),
          errorCode: error.code ?? "",
          problem: error.message
        })
      )
    : Effect.void
