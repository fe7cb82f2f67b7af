import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as KeyEndingListener from "#src/db/tenancy/KeyEndingListener.ts"
import { ParseWorkers } from "#src/http/server/body/ParseWorkers.ts"
import { HttpServer } from "#src/http/server/HttpServer.ts"
import { OpenReads } from "#src/http/server/limits/OpenReads.ts"
import { Settings } from "#src/settings/Settings.ts"
import * as conversation from "./conversation.ts"
import * as delivery from "./delivery.ts"
import * as evals from "./evals.ts"
import * as memory from "./memory.ts"
import { transcriber } from "./model.ts"
import * as operators from "./operators.ts"
import * as privacy from "./privacy.ts"
import * as proactive from "./proactive.ts"
import * as research from "./research.ts"
import * as telegram from "./telegram.ts"
import * as tenancy from "./tenancy.ts"
import { routes } from "./routes.ts"

/** What only handlers use. */
export const serving = Layer.mergeAll(
  conversation.serving,
  delivery.serving,
  evals.serving,
  memory.serving,
  operators.serving,
  privacy.serving,
  proactive.serving,
  research.serving,
  telegram.serving,
  tenancy.serving,
  transcriber,
  ParseWorkers.layer,
  Layer.unwrap(Effect.map(Settings, ({ perProcess: { streamsPerApp } }) => OpenReads.layer(streamsPerApp)))
).pipe(Layer.provideMerge(conversation.log))

const http = Layer.unwrap(
  Effect.gen(function* () {
    const {
      host,
      port,
      trustedProxies,
      corsOrigins,
      perProcess: { publicRequests }
    } = yield* Settings
    return HttpServer.layer({
      routes,
      host,
      port,
      trustedProxies,
      corsOrigins,
      publicRequestsPerMinute: publicRequests
    })
  })
).pipe(Layer.provide(serving))

/** A process in the role `api`. */
export const api = Layer.merge(http, KeyEndingListener.layer)
