import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { ChannelKinds } from "#channels/Channel.ts"
import { Feeds } from "#channels/event-log/Feeds.ts"
import { PublicAddress } from "#src/jobs/telegram/PublicAddress.ts"
import { Crashes } from "#src/units/attempt.ts"
import { admitRequests } from "./admitRequests.ts"
import { answerErrors } from "./answerErrors.ts"
import { boundPipelining } from "./boundPipelining.ts"
import { makeAnswer } from "./makeAnswer.ts"
import { parseOnThread } from "./body/parseOnThread.ts"
import { makeBridge } from "./bridge.ts"
import { CannotListen } from "./CannotListen.ts"
import { completeCatalogue } from "./catalogue.ts"
import { countRequests } from "./countRequests.ts"
import { isForThisMachine, isLoopback } from "./isLoopback.ts"
import { leaveSlowReaders } from "./leaveSlowReaders.ts"
import { HeldBytes } from "./limits/HeldBytes.ts"
import { logRequests } from "./logRequests.ts"
import { makeAllowOrigin } from "./makeAllowOrigin.ts"
import { makeApp } from "./makeApp.ts"
import { securityHeaders } from "./securityHeaders.ts"
import { traceRequests } from "./traceRequests.ts"
import type { HandlerServices, Routes, Server } from "./Server.ts"

export interface HttpOptions {
  readonly host: string
  readonly port: number
  /** The number of proxies in front of the server. Only their entries in X-Forwarded-For are trusted. */
  readonly trustedProxies: number
  /** The origins of the pages that may call the API from a browser: exact ones, or `*`. */
  readonly corsOrigins: ReadonlyArray<string>
  /** Limit per address for public routes. */
  readonly publicRequestsPerMinute: number
  readonly routes: ReadonlyArray<Routes>
}

/** The HTTP server: Fastify with our parsing, authentication, envelope and errors, and all routes. */
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

        const { trustedProxies, publicRequestsPerMinute } = options
        const isOnlyHere = trustedProxies === 0 && isLoopback(options.host) && isLoopback(new URL(baseUrl).host)
        const trace = yield* traceRequests
        const allowOrigin = makeAllowOrigin(options.corsOrigins)
        const app = makeApp({ trustedProxies, headers, allowOrigin, crashes: yield* Crashes })
        boundPipelining(app)
        trace(app)
        countRequests(app)
        leaveSlowReaders(app, yield* HeldBytes)
        yield* logRequests(app)
        yield* admitRequests(app, {
          bridge,
          headers,
          allowOrigin,
          publicRequestsPerMinute,
          isClosing: () => closing,
          isForUs: (request) => !isOnlyHere || isForThisMachine(request.headers.host),
          baseUrl: () => baseUrl
        })
        parseOnThread(app, bridge)
        // While the server stops, an answered connection must not be kept alive for another request.
        app.addHook("onSend", (_, reply, __, done) => {
          if (closing) void reply.header("connection", "close")
          done()
        })
        answerErrors(app, { bridge, headers })

        const server: Server = {
          app,
          baseUrl: () => baseUrl,
          channelKinds: [...(yield* ChannelKinds).values()].map(({ kind }) => kind),
          stopping: Deferred.await(stopping),
          answer: makeAnswer(bridge),
          run: (reply, handler) => bridge.run(handler, reply, "when caller leaves")
        }
        completeCatalogue()
        for (const register of options.routes) register(server)

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
