import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { tables } from "#src/composition/tables.ts"
import { holdEvidence } from "#src/db/operators/health/appEvidence.ts"
import * as monitor from "#src/db/crashes/monitor.ts"
import { firstRun } from "#src/demo/firstRun.ts"
import { exporting } from "#src/composition/observability.ts"
import { secretsKeys } from "#src/composition/secretsKeys.ts"
import { Settings } from "#src/settings/Settings.ts"
import { isOnlyHere } from "#src/accounts/isOnlyHere.ts"
import { consoleUrlOf } from "#src/commands/operators/console.ts"
import { print } from "#src/commands/terminal/output.ts"
import { runServer } from "#src/commands/terminal/run.ts"

/** Loading the modules takes as long as creating a database, so both run in parallel. */
const load = () => Promise.all([import("#src/composition/process.ts"), import("#src/http/server/HttpServer.ts")])
/** Loading blocks this process, so the database is started first. */
const HEAD_START = "100 millis"
type Loaded = Awaited<ReturnType<typeof load>>

/** Says why a restored server delivers nothing. */
const tellHold = Effect.gen(function* () {
  const held = (yield* holdEvidence(null)).find(({ kind }) => kind === "delivery")
  if (held !== undefined)
    yield* Effect.logWarning("deliveries are on hold: run troupe resume-deliveries to release them", {
      since: held.since.toISOString(),
      reason: held.reason
    })
})

/** Prints on stdout, as its last line, that everything is up. */
const ready = ([{ roles }, { HttpServer }]: Loaded) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const settings = yield* Settings
      yield* tellHold
      const server = yield* Effect.serviceOption(HttpServer)
      const baseUrl = server._tag === "Some" ? server.value.baseUrl : settings.publicUrl
      if (!settings.production && baseUrl !== null) {
        const { production, trustedProxies } = settings
        const isOurs = server._tag === "Some" && isOnlyHere({ baseUrl, production, behindProxy: trustedProxies > 0 })
        const consoleUrl = isOurs ? yield* consoleUrlOf(baseUrl) : null
        print(yield* firstRun(baseUrl, { model: settings.model?.model ?? null, consoleUrl }))
      }
      print(JSON.stringify({ ready: true, base_url: baseUrl }))
    })
  ).pipe(Layer.provide(roles))

export const serve = () =>
  runServer(
    Effect.gen(function* () {
      const loading = yield* Effect.forkChild(Effect.sleep(HEAD_START).pipe(Effect.andThen(Effect.promise(load))))
      return yield* Layer.launch(
        // The monitor starts after the modules are loaded: on a busy machine, that blocks the event loop for long.
        Layer.unwrap(Effect.map(Fiber.join(loading), (loaded) => Layer.provide(ready(loaded), monitor.layer()))).pipe(
          Layer.provide(tables),
          Layer.provide(secretsKeys),
          Layer.provide(exporting)
        )
      )
    })
  )
