import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify"
import { Feeds } from "#channels/event-log/Feeds.ts"
import { type Actor, CurrentActor } from "#src/accounts/Actor.ts"
import { Authentication } from "#src/accounts/Authentication.ts"
import { newId } from "#pipeline/domain/Id.ts"
import { RateLimits } from "#src/db/tenancy/RateLimits.ts"
import { Crashes } from "#src/units/attempt.ts"
import { PublicAddress } from "#src/jobs/telegram/PublicAddress.ts"
import { makeAddressLimit } from "./limits/AddressLimit.ts"
import { noteMethods } from "./allowedMethods.ts"
import { authenticate } from "./authenticate.ts"
import { authenticateAccount } from "#src/http/tenancy/authenticateAccount.ts"
import { bearerOf } from "#src/accounts/bearer.ts"
import { clientAddress } from "./limits/clientAddress.ts"
import { type HandlerError, makeBridge } from "./bridge.ts"
import { isClosedToDemo } from "./limits/demoSurface.ts"
import { envelope, type Success } from "./envelope.ts"
import { ApiError, errorBody } from "./ApiError.ts"
import {
  apiKeyExpired,
  databaseUnreachable,
  demoBodyTooLarge,
  demoKeySurfaceDisabled,
  draining,
  internalError,
  methodNotAllowed,
  quotaTaken,
  routeNotFound
} from "./errors.ts"
import { ignoredFields } from "./body/ignoredFields.ts"
import { LARGE_BYTES, makeLargeBodies } from "./body/LargeBodies.ts"
import { during } from "#src/units/currentUnit.ts"
import { unitOfRequest } from "./unitOfRequest.ts"
import { compileValidator, fromFastify, parseBodies, rawBody, UnreadBody } from "./body/parsing.ts"
import { ParseWorkers } from "./body/ParseWorkers.ts"
import { answerProtocolError } from "./protocolErrors.ts"
import { showStanding } from "./limits/rateLimitHeaders.ts"
import { requireReadable } from "./body/requireReadable.ts"
import { routes } from "./routes.ts"
import { securityHeaders } from "./securityHeaders.ts"
import type { App, HandlerServices, Server } from "./Server.ts"

const BODY_LIMIT_BYTES = LARGE_BYTES
const MAX_PATH_CHARACTERS = 16 * 1024
/** For a whole request to arrive; a stream's answer may last longer. */
const REQUEST_TIMEOUT_MS = 30_000
/** How often Node looks for requests whose time is over: what a sender may take beyond REQUEST_TIMEOUT_MS. */
const LATE_REQUESTS_EVERY_MS = 1_000
const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/

export interface HttpOptions {
  readonly host: string
  readonly port: number
  /** How many proxies stand in front: of X-Forwarded-For only what these have added is believed. */
  readonly trustedProxies: number
  /** That one address may make of public routes. */
  readonly publicRequestsPerMinute: number
}

/** Which setting an address that cannot be listened on is to be mended by. */
const AT_FAULT: Readonly<Record<string, string>> = {
  EADDRINUSE: "PORT",
  EACCES: "PORT",
  EADDRNOTAVAIL: "HOST",
  ENOTFOUND: "HOST",
  EAI_AGAIN: "HOST",
  EINVAL: "HOST",
  EAFNOSUPPORT: "HOST"
}

/** The address cannot be listened on. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", { cause: Schema.Defect() }) {
  override get message() {
    const { code, message } =
      this.cause instanceof Error ? (this.cause as NodeJS.ErrnoException) : { code: "", message: String(this.cause) }
    return `${AT_FAULT[code ?? ""] ?? "HOST, PORT"}: cannot listen: ${message}`
  }
}

const sendError = (request: FastifyRequest, reply: FastifyReply, error: ApiError) => {
  if (
    error.retryAfterSeconds !== undefined ||
    error.status === 429 ||
    error === databaseUnreachable ||
    error === draining
  )
    void reply.header("retry-after", String(error.retryAfterSeconds ?? 1))
  if (error.status === 401) void reply.header("www-authenticate", "Bearer")
  return reply
    .code(error.status)
    .header("content-type", "application/json; charset=utf-8")
    .send(JSON.stringify(errorBody(error, request.id)))
}

/** Where the route takes more than others, and the request does not say that it has no more than they take. */
const mayBeLarge = ({ headers, routeOptions }: FastifyRequest): boolean =>
  routeOptions.bodyLimit > LARGE_BYTES &&
  (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > LARGE_BYTES)

/** Who changes what a request changes. */
const actorOf = ({ principal, account }: FastifyRequest): Actor =>
  account === undefined
    ? { kind: "runtime_key", id: principal?.prefix ?? null }
    : { kind: "account_token", id: account.token.prefix }

/** The HTTP surface: Fastify with our parsing, authentication, envelope and errors, and every route hung on it. */
export class HttpServer extends Context.Service<HttpServer, { readonly baseUrl: string }>()(
  "src/http/server/HttpServer"
) {
  static readonly layer = (options: HttpOptions) =>
    Layer.effect(
      HttpServer,
      Effect.gen(function* () {
        const bridge = yield* makeBridge<HandlerServices>()
        const feeds = yield* Feeds
        const headers = securityHeaders()
        let closing = false
        const stopping = yield* Deferred.make<void>()
        const address = yield* PublicAddress
        let baseUrl = yield* address.current

        const app: App = Fastify({
          trustProxy: (_, hop) => hop < options.trustedProxies,
          bodyLimit: BODY_LIMIT_BYTES,
          return503OnClosing: false,
          forceCloseConnections: "idle",
          requestTimeout: REQUEST_TIMEOUT_MS,
          // Node swaps the two timeouts where the one for headers, by default a minute, is the longer one.
          http: { connectionsCheckingInterval: LATE_REQUESTS_EVERY_MS, headersTimeout: REQUEST_TIMEOUT_MS },
          clientErrorHandler: answerProtocolError,
          // No longer than a request line may be anyway: what is too long names nothing, and is answered like anything
          // else that is not there.
          routerOptions: { maxParamLength: MAX_PATH_CHARACTERS },
          // Named here and not set afterwards, so that Fastify does not load its own; its types know only those.
          schemaController: {
            compilersFactory: {
              buildValidator: () => compileValidator as never,
              buildSerializer: () => () => JSON.stringify
            }
          },
          // A path that is no text at all.
          frameworkErrors: (_, request, reply) =>
            sendError(request, reply.headers(headers).header("x-request-id", request.id), routeNotFound),
          genReqId: (request) => {
            const given = request.headers["x-request-id"]
            return typeof given === "string" && SANE_REQUEST_ID.test(given) ? given : newId("req")
          }
        })
        // RFC 9110, 10.1.1: a server may pass over what it does not know. Node would answer 417 without a body.
        app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response))
        app.decorate("crashes", yield* Crashes)
        parseBodies(app, BODY_LIMIT_BYTES)
        const { remembered } = yield* Authentication
        const limits = yield* RateLimits
        const refuseAddress = makeAddressLimit(options.publicRequestsPerMinute)
        const waitForLarge = makeLargeBodies()
        const methodsOf = noteMethods(app)

        app.decorateRequest("principal")
        app.decorateRequest("account")
        const principalOf = async (request: FastifyRequest, reply: FastifyReply) =>
          remembered(request.headers.authorization) ??
          (await bridge.run(authenticate(request), reply, "when caller leaves"))
        /**
         * Where no runtime key will do anyway: a demo key is told so in its own words, and so is one that has expired.
         */
        const refuseDemoKey = async (request: FastifyRequest, reply: FastifyReply) => {
          if (bearerOf(request.headers.authorization)?.startsWith("ck_") !== true) return
          const principal = await principalOf(request, reply).catch((error: ApiError) => {
            if (error === apiKeyExpired || error.status >= 500) throw error
          })
          if (principal?.kind === "demo") throw demoKeySurfaceDisabled
        }
        /** By app, and on the account plane by account. */
        const countRequest = async (subject: string, reply: FastifyReply) => {
          const standing =
            limits.takeAtOnce(subject, "requests") ??
            (await bridge.run(limits.take(subject, "requests"), reply, "when caller leaves"))
          showStanding(reply, standing)
          if (!standing.taken) throw quotaTaken(standing)
        }
        const admitLarge = async (request: FastifyRequest, reply: FastifyReply) => {
          if (request.principal?.kind !== "demo") {
            return void (await bridge.run(
              waitForLarge(request.account?.accountId ?? request.principal.appId, reply),
              reply,
              "when caller leaves"
            ))
          }
          const { tooLargeForDemo } = request.routeOptions.config
          if (Number(request.headers["content-length"] ?? 0) > LARGE_BYTES)
            throw tooLargeForDemo ?? demoBodyTooLarge(LARGE_BYTES)
        }
        app.addHook("onRequest", async (request, reply) => {
          const { public: isPublic, account: scope, demo, machine, uncounted } = request.routeOptions.config
          void (machine === true ? reply : reply.headers(headers)).header("x-request-id", request.id)
          if (closing) throw draining
          if (request.is404) return isClosedToDemo(request.url) ? refuseDemoKey(request, reply) : undefined
          if (isPublic === true) {
            const refused = uncounted === true ? null : refuseAddress(request)
            if (refused !== null) throw refused
            return requireReadable(request)
          }
          if (scope !== undefined) {
            await refuseDemoKey(request, reply)
            request.account = await bridge.run(authenticateAccount(request, scope), reply, "when caller leaves")
          } else {
            request.principal = await principalOf(request, reply)
            if (request.principal.kind === "demo" && demo !== true) throw demoKeySurfaceDisabled
          }
          await countRequest(request.account?.accountId ?? request.principal.appId, reply)
          requireReadable(request)
          if (mayBeLarge(request)) await admitLarge(request, reply)
        })
        app.addHook("preValidation", (request, reply, done) => {
          if (!(request.body instanceof UnreadBody) || request.routeOptions.config.readsBody === true) return done()
          const { bytes } = request.body
          const subject = request.principal?.appId ?? request.account?.accountId ?? clientAddress(request.ip)
          const validate = (body: unknown) => {
            request.body = body
            // What follows at once is the validation of the body, which must have an owner, too.
            return during(unitOfRequest(request), done)
          }
          bridge
            .run(
              ParseWorkers.use((workers) => workers.json(subject, bytes)),
              reply,
              "when caller leaves"
            )
            .then(validate, done)
        })
        // A socket that has been answered while we stop must not be kept open for the next request.
        app.addHook("onSend", (_, reply, __, done) => {
          if (closing) void reply.header("connection", "close")
          done()
        })
        app.setNotFoundHandler((request, reply) => {
          const allowed = methodsOf(request.url)
          if (allowed.length === 0) return sendError(request, reply, routeNotFound)
          return sendError(
            request,
            reply.header("allow", allowed.join(", ")),
            methodNotAllowed(request.method, allowed)
          )
        })
        app.setErrorHandler(async (thrown: unknown, request, reply) => {
          const { tooLarge, tooLargeForDemo, machine } = request.routeOptions.config
          if (machine === true) void reply.headers(headers)
          const error =
            thrown instanceof ApiError
              ? thrown
              : fromFastify(
                  thrown as Error,
                  request.routeOptions.bodyLimit,
                  request.principal?.kind === "demo" ? (tooLargeForDemo ?? tooLarge) : tooLarge
                )
          if (error === null) {
            await bridge.run(Effect.logError("request failed", thrown), reply, "never").catch(() => {})
            return sendError(request, reply, internalError)
          }
          const { exists } = request.routeOptions.config
          if (
            error.code === "validation_error" &&
            exists !== undefined &&
            (request.principal ?? request.account) !== undefined
          ) {
            const absent = await bridge
              .run(Effect.as(exists(request), null), reply, "when caller leaves")
              .catch((failed: ApiError) => failed)
            if (absent !== null) return sendError(request, reply, absent)
          }
          return sendError(request, reply, error)
        })

        const answer = async (
          request: FastifyRequest,
          reply: FastifyReply,
          handler: Effect.Effect<Success, HandlerError, HandlerServices>
        ) => {
          const result = await bridge.run(
            Effect.provideService(handler, CurrentActor, actorOf(request)),
            reply,
            request.routeOptions.config.writes === true ? "never" : "when caller leaves"
          )
          const taken = request.routeOptions.schema?.body === undefined ? {} : request.body
          const ignored = request.body === undefined ? [] : ignoredFields(rawBody(request.body), taken)
          return reply.header("content-type", "application/json; charset=utf-8").send(envelope(result, ignored))
        }
        const server: Server = {
          app,
          baseUrl: () => baseUrl,
          stopping: Deferred.await(stopping),
          answer,
          run: (reply, handler) => bridge.run(handler, reply, "when caller leaves")
        }
        for (const hang of routes) hang(server)

        yield* Effect.acquireRelease(
          Effect.tryPromise({
            try: () => app.listen({ host: options.host, port: options.port }),
            catch: (cause) => new CannotListen({ cause })
          }),
          () =>
            Effect.gen(function* () {
              closing = true
              yield* feeds.endAll
              yield* Deferred.succeed(stopping, undefined)
              const closed = yield* Effect.forkDetach(
                Effect.promise(() => app.close()),
                { startImmediately: true }
              )
              yield* bridge.drain
              yield* Fiber.join(closed).pipe(Effect.timeoutOption("2 seconds"))
            })
        )
        const [port = options.port] = app
          .addresses()
          .map((address) => (typeof address === "string" ? options.port : address.port))
        yield* address.listensOn(port)
        baseUrl = yield* address.current
        return { baseUrl }
      })
    )
}
