import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { StreamTokens } from "#src/accounts/StreamTokens.ts"
import { success } from "#src/http/server/envelope.ts"
import { answers, written } from "#src/http/server/schemas/answers.ts"
import { wholeBetween } from "#src/http/server/schemas/number.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { findSession } from "./findSession.ts"
import { sessionExists } from "./sessionExists.ts"

const DEFAULT_SECONDS = 900
const MAX_SECONDS = 3600

const StreamTokenCreate = z.object({
  expires_in: wholeBetween(1, MAX_SECONDS)
    .optional()
    .meta({ description: `Seconds. Default: ${DEFAULT_SECONDS}`, examples: [DEFAULT_SECONDS] })
})
export const StreamTokenData = z.object({
  token: z.string(),
  session_id: z.string(),
  expires_at: z.iso.datetime().describe("It ends earlier with the key that created it, and with the session")
})

/** Tokens with which a browser may read the events of one session, because it can keep no key. */
export const streamTokenRoutes: Routes = ({ app, answer }) => {
  app.post(
    "/v1/sessions/:session_id/stream-token",
    {
      config: { demo: true, exists: sessionExists },
      schema: {
        operationId: "createStreamToken",
        summary: "Create a token with which a browser may read the events of the session, and nothing else",
        tags: ["Events"],
        params: z.object({ session_id: z.string() }),
        body: StreamTokenCreate.optional(),
        response: answers(StreamTokenData.extend(written), "session_not_found")
      }
    },
    (request, reply) => {
      void reply.header("cache-control", "no-store")
      return answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId, prefix } = request.principal
          const { session_id: sessionId } = yield* findSession(appId, request.params.session_id)
          const seconds = request.body?.expires_in ?? DEFAULT_SECONDS
          // In whole seconds, as the token says it.
          const expiresAtMs = Math.ceil((yield* Clock.currentTimeMillis) / 1000 + seconds) * 1000
          const token = yield* StreamTokens.useSync(({ mint }) => mint({ sessionId, prefix, expiresAtMs }))
          return success({ token, session_id: sessionId, expires_at: new Date(expiresAtMs).toISOString() })
        })
      )
    }
  )
}
