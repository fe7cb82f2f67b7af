import * as Effect from "effect/Effect"
import type { FastifyReply, FastifyRequest } from "fastify"
import { Authentication } from "#src/accounts/Authentication.ts"
import { bearerOf } from "#src/accounts/bearer.ts"
import { RateLimits } from "#src/db/tenancy/RateLimits.ts"
import type { ApiError } from "./ApiError.ts"
import { authenticate } from "./authenticate.ts"
import { authenticateAccount } from "./authenticateAccount.ts"
import { authenticateOperator } from "./authenticateOperator.ts"
import { refuseForgedRequests } from "./csrf.ts"
import { LARGE_BYTES, makeLargeBodies } from "./body/LargeBodies.ts"
import { requireReadable } from "./body/requireReadable.ts"
import type { Bridge } from "./bridge.ts"
import { callerOf, knownCaller, matchCredential } from "./Credential.ts"
import {
  apiKeyExpired,
  demoBodyTooLarge,
  demoKeySurfaceDisabled,
  draining,
  hostNotAllowed,
  quotaTaken
} from "./errors.ts"
import { makeAddressLimit } from "./limits/AddressLimit.ts"
import { noteDemoSurface } from "./limits/demoSurface.ts"
import { sendRateLimitHeaders } from "./limits/rateLimitHeaders.ts"
import type { AllowOrigin } from "./makeAllowOrigin.ts"
import type { App, HandlerServices } from "./Server.ts"

/** Whether the route accepts more than others, and the request does not declare a body within the usual limit. */
const mayBeLarge = ({ headers, routeOptions }: FastifyRequest): boolean =>
  routeOptions.bodyLimit > LARGE_BYTES &&
  (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > LARGE_BYTES)

/**
 * Before anything of a body is read: who asks, whether they may, and whether it is too much at once. Call it before the
 * routes are added.
 */
export const admitRequests = Effect.fnUntraced(function* (
  app: App,
  options: {
    readonly bridge: Bridge<HandlerServices>
    readonly headers: Readonly<Record<string, string>>
    readonly allowOrigin: AllowOrigin
    readonly publicRequestsPerMinute: number
    readonly isClosing: () => boolean
    /** Whether the host that a request names is one of this server. */
    readonly isForUs: (request: FastifyRequest) => boolean
    readonly baseUrl: () => string
  }
) {
  const { bridge, headers, allowOrigin, isClosing, isForUs, baseUrl } = options
  const { remembered } = yield* Authentication
  const limits = yield* RateLimits
  const refuseAddress = makeAddressLimit(options.publicRequestsPerMinute)
  const waitForLarge = makeLargeBodies()
  const isClosedToDemo = noteDemoSurface(app)
  refuseForgedRequests(app, baseUrl)

  const principalOf = async (request: FastifyRequest, reply: FastifyReply) =>
    remembered(request.headers.authorization) ?? (await bridge.run(authenticate(request), reply, "when caller leaves"))
  /** For routes that no runtime key can use: demo keys and expired ones get a specific error. */
  const refuseDemoKey = async (request: FastifyRequest, reply: FastifyReply) => {
    if (bearerOf(request.headers.authorization)?.startsWith("ck_") !== true) return
    const principal = await principalOf(request, reply).catch((error: ApiError) => {
      if (error === apiKeyExpired || error.status >= 500) throw error
    })
    if (principal?.kind === "demo") throw demoKeySurfaceDisabled
  }
  /** Per app, and on the account plane per account. */
  const countRequest = async (subject: string, reply: FastifyReply) => {
    const standing =
      limits.takeAtOnce(subject, "requests") ??
      (await bridge.run(limits.take(subject, "requests"), reply, "when caller leaves"))
    sendRateLimitHeaders(reply, standing)
    if (!standing.taken) throw quotaTaken(standing)
  }
  const admitLarge = async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.principal?.kind !== "demo") {
      return void (await bridge.run(waitForLarge(knownCaller(request), reply), reply, "when caller leaves"))
    }
    const { tooLargeForDemo } = request.routeOptions.config
    if (Number(request.headers["content-length"] ?? 0) > LARGE_BYTES)
      throw tooLargeForDemo ?? demoBodyTooLarge(LARGE_BYTES)
  }
  const countAddress = (request: FastifyRequest) => {
    const refused = refuseAddress(request)
    if (refused !== null) throw refused
  }
  const authenticateCaller = (request: FastifyRequest, reply: FastifyReply) => {
    const { config } = request.routeOptions
    return matchCredential<Promise<void>>(config.auth, {
      none: async () => {
        if (config.cost?.requests !== 0) countAddress(request)
      },
      operator: async (role) => {
        // A browser sends its cookie to all of these routes, and must keep none of the answers.
        void reply.header("cache-control", "no-store")
        const authenticated = authenticateOperator(request, {
          role,
          baseUrl: baseUrl(),
          count: () => refuseAddress(request)
        })
        request.operator = await bridge.run(authenticated, reply, "when caller leaves")
      },
      account: async (scope) => {
        await refuseDemoKey(request, reply)
        request.account = await bridge.run(authenticateAccount(request, scope), reply, "when caller leaves")
        await countRequest(request.account.accountId, reply)
      },
      app: async () => {
        request.principal = await principalOf(request, reply)
        if (request.principal.kind === "demo" && config.demo !== true) throw demoKeySurfaceDisabled
        await countRequest(request.principal.appId, reply)
      }
    })
  }
  app.addHook("onRequest", async (request, reply) => {
    const { machine } = request.routeOptions.config
    void (machine === true ? reply : reply.headers(headers)).header("x-request-id", request.id)
    if (allowOrigin(request, reply) === "preflight") return reply.code(204).send()
    if (isClosing()) throw draining
    if (!isForUs(request)) throw hostNotAllowed
    if (request.is404) return isClosedToDemo(request.method, request.url) ? refuseDemoKey(request, reply) : undefined
    await authenticateCaller(request, reply)
    requireReadable(request)
    if (callerOf(request) !== null && mayBeLarge(request)) await admitLarge(request, reply)
  })
})
