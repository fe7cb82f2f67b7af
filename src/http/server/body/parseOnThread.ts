import type { Bridge } from "#src/http/server/bridge.ts"
import { clientAddress } from "#src/http/server/limits/clientAddress.ts"
import type { App, HandlerServices } from "#src/http/server/Server.ts"
import { callerOf } from "#src/http/server/Credential.ts"
import { unitOfRequest } from "#src/http/server/unitOfRequest.ts"
import { during } from "#src/units/currentUnit.ts"
import { UnreadBody } from "./parsing.ts"
import { ParseWorkers } from "./ParseWorkers.ts"

/** Parses large bodies on another thread, unless their route does so itself. */
export const parseOnThread = (app: App, bridge: Bridge<HandlerServices>): void => {
  app.addHook("preValidation", (request, reply, done) => {
    if (!(request.body instanceof UnreadBody) || request.routeOptions.config.readsBody === true) return done()
    const { bytes } = request.body
    const subject = callerOf(request) ?? clientAddress(request.ip)
    const validate = (body: unknown) => {
      request.body = body
      // Validation of the body follows synchronously and has to belong to the request's unit, too.
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
}
