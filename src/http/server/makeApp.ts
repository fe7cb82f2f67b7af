import Fastify from "fastify"
import { newId } from "#pipeline/domain/Id.ts"
import type { Crashes } from "#src/units/attempt.ts"
import { LARGE_BYTES } from "./body/LargeBodies.ts"
import { compileValidator, parseBodies } from "./body/parsing.ts"
import type { AllowOrigin } from "./makeAllowOrigin.ts"
import { routeNotFound } from "./errors.ts"
import { answerProtocolError } from "./protocolErrors.ts"
import { sendError } from "./sendError.ts"
import type { App } from "./Server.ts"

const BODY_LIMIT_BYTES = LARGE_BYTES
const MAX_PATH_CHARACTERS = 16 * 1024
/** Timeout for receiving a whole request. The answer of a stream may take longer. */
const REQUEST_TIMEOUT_MS = 30_000
/** How often Node checks for timed-out requests. A sender may exceed REQUEST_TIMEOUT_MS by this much. */
const LATE_REQUESTS_EVERY_MS = 1_000
const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/

/** Fastify with our parsing and without routes. `headers` are added to every answer. */
export const makeApp = (options: {
  readonly trustedProxies: number
  readonly headers: Readonly<Record<string, string>>
  readonly allowOrigin: AllowOrigin
  readonly crashes: (typeof Crashes)["Service"]
}): App => {
  const app: App = Fastify({
    trustProxy: (_, hop) => hop < options.trustedProxies,
    bodyLimit: BODY_LIMIT_BYTES,
    return503OnClosing: false,
    forceCloseConnections: "idle",
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Node swaps the two timeouts if the headers timeout, by default a minute, is the longer one.
    http: { connectionsCheckingInterval: LATE_REQUESTS_EVERY_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    clientErrorHandler: answerProtocolError,
    // The maximum length of a request line. A longer parameter names nothing, and gets the usual 404.
    routerOptions: { maxParamLength: MAX_PATH_CHARACTERS },
    // Set here instead of later, so that Fastify does not load its own compilers. Its types only know those.
    schemaController: {
      compilersFactory: {
        buildValidator: () => compileValidator as never,
        buildSerializer: () => () => JSON.stringify
      }
    },
    // A path that cannot be decoded.
    frameworkErrors: (_, request, reply) => {
      options.allowOrigin(request, reply)
      return sendError(request, reply.headers(options.headers).header("x-request-id", request.id), routeNotFound)
    },
    genReqId: (request) => {
      const given = request.headers["x-request-id"]
      return typeof given === "string" && SANE_REQUEST_ID.test(given) ? given : newId("req")
    }
  })
  // RFC 9110, 10.1.1: a server may ignore unknown expectations. Node would answer 417 without a body.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response))
  app.decorate("crashes", options.crashes)
  parseBodies(app)
  app.decorateRequest("principal")
  app.decorateRequest("streamToken")
  app.decorateRequest("account")
  app.decorateRequest("operator")
  return app
}
