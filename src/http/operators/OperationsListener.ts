import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { ProcessMetrics } from "#src/db/operators/ProcessMetrics.ts"
import { Readiness } from "#src/db/operators/Readiness.ts"
import { CannotListen } from "#src/http/server/CannotListen.ts"
import { hostNotAllowed } from "#src/http/server/errors.ts"
import { isForThisMachine, isLoopback } from "#src/http/server/isLoopback.ts"
import { HeldBytes } from "#src/http/server/limits/HeldBytes.ts"
import { OPERATORS } from "#src/http/server/limits/Owner.ts"
import { PROMETHEUS_TEXT } from "./metricsRoutes.ts"

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/**
 * For receiving a whole request, which has no body. The number of connections is not limited: a client that used up the
 * limit would block the probes, and the process would be restarted.
 */
const REQUEST_TIMEOUT_MS = 5_000
const TIMEOUTS = {
  requestTimeout: REQUEST_TIMEOUT_MS,
  headersTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: 1_000
}

const JSON_TYPE = "application/json; charset=utf-8"
const json = (status: number, body: object): Answer => ({ status, type: JSON_TYPE, body: JSON.stringify(body) })
const PATHS = "/healthz, /readyz, /metrics"
const notFound = json(404, {
  detail: {
    code: "route_not_found",
    message: "There is no such path on this listener.",
    fix: `This listener has ${PATHS}.`
  }
})
const notAllowed = json(405, {
  detail: {
    code: "method_not_allowed",
    message: "This listener accepts only GET requests.",
    fix: `Send GET to one of ${PATHS}.`
  }
})
const misdirected = json(421, {
  detail: {
    code: hostNotAllowed.code,
    message: hostNotAllowed.message,
    fix: "Use localhost or 127.0.0.1, or set OPERATIONS_HOST to an address that only you can reach."
  }
})

/**
 * A listener of its own for probes and Prometheus, in a process of any role. It takes no credential, so it belongs on
 * an address that only the operator reaches.
 */
export const layer = (options: { readonly host: string; readonly port: number }) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const metrics = yield* ProcessMetrics
      const readiness = yield* Readiness
      const { watch } = yield* HeldBytes
      const fork = yield* FiberSet.makeRuntimePromise()

      const answers: Readonly<Record<string, Effect.Effect<Answer>>> = {
        "/healthz": Effect.succeed(json(200, { status: "ok" })),
        "/readyz": Effect.map(readiness.check, (problem) =>
          problem === null ? json(200, { status: "ready" }) : json(503, { status: "not_ready", ...problem })
        ),
        "/metrics": Effect.map(metrics.text, (body) => ({ status: 200, type: PROMETHEUS_TEXT, body }))
      }
      const isOnlyHere = isLoopback(options.host)
      const answerOf = ({ method, headers, url = "/" }: IncomingMessage): Effect.Effect<Answer> => {
        if (isOnlyHere && !isForThisMachine(headers.host)) return Effect.succeed(misdirected)
        const [path = "/"] = url.split("?", 1)
        const answer = Object.hasOwn(answers, path) ? answers[path] : undefined
        if (answer === undefined) return Effect.succeed(notFound)
        return method === "GET" || method === "HEAD" ? answer : Effect.succeed(notAllowed)
      }
      const server = createServer(TIMEOUTS, (request: IncomingMessage, response: ServerResponse) => {
        request.resume()
        response.once("prefinish", () => {
          if (response.writableLength > 0) watch(OPERATORS, response)()
        })
        const send = ({ status, type, body }: Answer) =>
          Effect.sync(() => {
            response.writeHead(status, { "content-type": type, "cache-control": "no-store" })
            response.end(request.method === "HEAD" ? undefined : body)
          })
        fork(Effect.flatMap(answerOf(request), send)).catch(() => response.destroy())
      })
      yield* Effect.acquireRelease(
        Effect.callback<void, CannotListen>((resume) => {
          server.once("error", (cause) => resume(Effect.fail(new CannotListen({ cause, prefix: "OPERATIONS_" }))))
          server.listen(options.port, options.host, () => resume(Effect.void))
        }),
        () =>
          Effect.sync(() => {
            server.close()
            server.closeAllConnections()
          })
      )
      yield* Effect.logInfo("operations listener started", { address: server.address() })
    })
  )
