import Fastify from "fastify"
import { newId } from "#pipeline/domain/Id.ts"
import type { Crashes } from "#src/units/attempt.ts"
import { LARGE_BYTES } from "./body/LargeBodies.ts"
import { compileValidator, parseBodies } from "./body/parsing.ts"
import { routeNotFound } from "./errors.ts"
import { answerProtocolError } from "./protocolErrors.ts"
import { sendError } from "./sendError.ts"
import type { App } from "./Server.ts"

const BODY_LIMIT_BYTES = LARGE_BYTES
const MAX_PATH_CHARACTERS = 16 * 1024
/** For a whole request to arrive; a stream's answer may last longer. */
const REQUEST_TIMEOUT_MS = 30_000
/** How often Node looks for requests whose time is over: what a sender may take beyond REQUEST_TIMEOUT_MS. */
const LATE_REQUESTS_EVERY_MS = 1_000
const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/

/** Fastify with our parsing, without a route. `headers` are those of every answer. */
export const makeApp = (options: {
  readonly trustedProxies: number
  readonly headers: Readonly<Record<string, string>>
  readonly crashes: (typeof Crashes)["Service"]
}): App => {
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
      sendError(request, reply.headers(options.headers).header("x-request-id", request.id), routeNotFound),
    genReqId: (request) => {
      const given = request.headers["x-request-id"]
      return typeof given === "string" && SANE_REQUEST_ID.test(given) ? given : newId("req")
    }
  })
  // RFC 9110, 10.1.1: a server may pass over what it does not know. Node would answer 417 without a body.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response))
  app.decorate("crashes", options.crashes)
  parseBodies(app, BODY_LIMIT_BYTES)
  app.decorateRequest("principal")
  app.decorateRequest("account")
  return app
}
