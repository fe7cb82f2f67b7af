import * as Effect from "effect/Effect"
import { DEMO_LIMITS, Sandboxes } from "#src/db/privacy/Sandboxes.ts"
import { type RouteLimit, windowsOf } from "#src/http/server/limits/Cost.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { demoSandboxDisabled, demoSandboxRateLimited } from "./tenancyErrors.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import { SandboxData } from "./sandboxSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"

const KEYS: ReadonlyArray<RouteLimit> = [
  { kind: "demo_key_address", windowSeconds: 3600, per: "address" },
  { kind: "demo_key_fingerprint", windowSeconds: 3600, per: "fingerprint" }
]

/** Issues a key for trying things out (contract 4.1). */
export const sandboxRoutes: Routes = ({ app, answer, baseUrl }) => {
  app.post(
    "/v1/demo/sandbox-key",
    {
      config: { auth: "none", writes: true, cost: { rolling: KEYS } },
      schema: {
        operationId: "createSandboxKey",
        summary: "Create a demo key with its own app, without an account. Both are deleted after a day",
        description: "Takes no body.",
        tags: ["App"],
        response: answers(SandboxData, "demo_sandbox_rate_limited", "demo_sandbox_disabled")
      }
    },
    (request, reply) => {
      void reply.header("cache-control", "no-store")
      return answer(
        request,
        reply,
        Effect.gen(function* () {
          const { apiKey, appId, expiresAt, characterSlugs } = yield* Sandboxes.use((sandboxes) =>
            sandboxes.issue(windowsOf(request))
          ).pipe(
            Effect.catchTags({
              SandboxesClosed: () => Effect.fail(demoSandboxDisabled),
              SandboxesLimited: ({ retryAfterSeconds }) => Effect.fail(demoSandboxRateLimited(retryAfterSeconds))
            })
          )
          return success(
            {
              api_key: apiKey,
              app_id: appId,
              expires_at: expiresAt.toISOString(),
              limits: DEMO_LIMITS,
              character_slugs: characterSlugs
            },
            [
              {
                command: curl(baseUrl(), "POST", "/v1/sessions", {
                  character_slug: characterSlugs[0],
                  external_user_ref: "user-1"
                }),
                description: "Open a session with a sample character, with the key in TROUPE_KEY"
              }
            ]
          )
        })
      )
    }
  )
}
