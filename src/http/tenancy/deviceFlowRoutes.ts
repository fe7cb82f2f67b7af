import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { FastifyReply, FastifyRequest } from "fastify"
import type { ZodTypeProvider } from "fastify-type-provider-zod"
import * as z from "zod"
import { IdentityProvider } from "#src/accounts/IdentityProvider.ts"
import { ALL_SCOPES } from "#src/accounts/scopes.ts"
import { DeviceCodes, INTERVAL_SECONDS, LIFETIME_SECONDS } from "#src/db/tenancy/DeviceCodes.ts"
import type { RouteLimit } from "#src/http/server/limits/Cost.ts"
import { takeWindows } from "#src/http/server/limits/takeWindows.ts"
import type { HandlerError } from "#src/http/server/bridge.ts"
import { ACCOUNT_PLANE } from "./accountPlane.ts"
import { type NextAction, success } from "#src/http/server/envelope.ts"
import {
  accessDenied,
  authorizationPending,
  deviceRateLimited,
  expiredToken,
  signInDisabled,
  slowDown
} from "./deviceFlowErrors.ts"
import { isPlainOAuth, servePlainOAuth } from "./plainOAuth.ts"
import { DEVICE_GRANT, DeviceStart, DeviceStarted, DeviceToken, DeviceTokenData } from "./accountSchemas.ts"
import { answers, answersAs } from "#src/http/server/schemas/answers.ts"
import type { HandlerServices, Routes } from "#src/http/server/Server.ts"

/** Limit for device codes per address. */
const ISSUED: RouteLimit = { kind: "device_code", most: 20, windowSeconds: 600, per: "address" }

const START = "/v1/account/device/start"
const TOKEN = "/v1/account/device/token"

/**
 * The device flow (RFC 8628, contract 5.6): how a program gets an account token without ever seeing a person's
 * credentials.
 */
export const deviceFlowRoutes: Routes = ({ app, answer, run, baseUrl }) => {
  const reply = async (
    request: FastifyRequest,
    reply: FastifyReply,
    handler: Effect.Effect<object, HandlerError, HandlerServices>,
    nextActions: (data: object) => ReadonlyArray<NextAction> = () => []
  ) => {
    void reply.header("cache-control", "no-store")
    if (!isPlainOAuth(request))
      return answer(
        request,
        reply,
        Effect.map(handler, (data) => success(data, nextActions(data)))
      )
    return reply
      .header("content-type", "application/json; charset=utf-8")
      .send(JSON.stringify(await run(reply, handler)))
  }

  const start = Effect.fnUntraced(function* (
    request: FastifyRequest,
    { client_name: clientName, scopes = [...ALL_SCOPES] }: z.output<typeof DeviceStart>
  ) {
    if ((yield* IdentityProvider).kind(baseUrl()) === null) return yield* signInDisabled
    const fullFor = yield* takeWindows(request)
    if (fullFor !== null)
      return yield* deviceRateLimited.after(
        fullFor,
        `Use the code you already have, or try again in ${fullFor} seconds.`
      )
    const { deviceCode, userCode, expiresAt } = yield* DeviceCodes.use((codes) =>
      codes.start({ clientName, scopes: ALL_SCOPES.filter((scope) => scopes.includes(scope)) })
    )
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: `${baseUrl()}/device`,
      verification_uri_complete: `${baseUrl()}/device?user_code=${userCode}`,
      expires_in: LIFETIME_SECONDS,
      expires_at: expiresAt.toISOString(),
      interval: INTERVAL_SECONDS,
      interval_seconds: INTERVAL_SECONDS
    }
  })

  const exchange = Effect.fnUntraced(function* (deviceCode: string) {
    const polled = yield* DeviceCodes.use((codes) => codes.poll(deviceCode))
    switch (polled._tag) {
      case "pending":
      case "too_soon": {
        const error = polled._tag === "pending" ? authorizationPending : slowDown
        return yield* error
          .saying(error.message, error.fix, { interval_seconds: polled.intervalSeconds })
          .after(polled.intervalSeconds)
      }
      case "denied":
        return yield* accessDenied.about("body.device_code")
      case "expired":
        return yield* expiredToken.about("body.device_code")
      case "issued": {
        const { secret, scopes, expires_at: expiresAt } = polled.token
        return {
          access_token: secret,
          token_type: "bearer",
          scopes,
          scope: scopes.join(" "),
          expires_in: Math.floor((expiresAt.getTime() - (yield* Clock.currentTimeMillis)) / 1000),
          expires_at: expiresAt.toISOString()
        }
      }
    }
  })

  void app.register(async (plugin) => {
    const device = plugin.withTypeProvider<ZodTypeProvider>()
    servePlainOAuth(device)

    device.post(
      START,
      {
        config: { auth: "none", writes: true, cost: { rolling: [ISSUED] } },
        schema: {
          operationId: "startDeviceFlow",
          summary:
            "Request an account token. A person opens verification_uri, signs in, reviews the scopes and approves",
          description: "Also supports plain RFC 8628: the response to a form with client_id and scope has no envelope.",
          ...ACCOUNT_PLANE,
          body: DeviceStart,
          response: answers(DeviceStarted, "account_device_rate_limited", "account_sign_in_disabled")
        }
      },
      (request, answered) =>
        reply(request, answered, start(request, request.body), (data) => [
          {
            command:
              `curl -s -X POST -H "content-type: application/json" -d ` +
              `'${JSON.stringify({ device_code: (data as { readonly device_code: string }).device_code })}' ` +
              `"${baseUrl()}${TOKEN}"`,
            description:
              "Fetch the token after a person has approved at verification_uri. Until then, repeat this every " +
              "interval_seconds"
          }
        ])
    )

    device.post(
      TOKEN,
      {
        config: { auth: "none", writes: true },
        schema: {
          operationId: "fetchAccountToken",
          summary: "Exchange an approved device code for its account token, once",
          description:
            "Also supports plain RFC 8628: the response to a form with grant_type and device_code has no " +
            "envelope, and errors have status 400 and a top-level error.",
          ...ACCOUNT_PLANE,
          body: DeviceToken,
          response: answers(DeviceTokenData, "authorization_pending", "expired_token", "access_denied", "slow_down")
        }
      },
      (request, answered) => reply(request, answered, exchange(request.body.device_code))
    )
  })

  app.get(
    "/.well-known/oauth-authorization-server",
    {
      config: { auth: "none" },
      schema: {
        operationId: "readAuthorizationServer",
        summary: "Get the endpoints of the device flow, for OAuth clients (RFC 8414)",
        ...ACCOUNT_PLANE,
        response: answersAs(
          "application/json",
          z.looseObject({ issuer: z.url(), token_endpoint: z.url(), device_authorization_endpoint: z.url() })
        )
      }
    },
    async () => ({
      issuer: baseUrl(),
      device_authorization_endpoint: baseUrl() + START,
      token_endpoint: baseUrl() + TOKEN,
      token_endpoint_auth_methods_supported: ["none"],
      grant_types_supported: [DEVICE_GRANT],
      response_types_supported: [],
      scopes_supported: ALL_SCOPES,
      service_documentation: `${baseUrl()}/v1/llms.txt`
    })
  )
}
