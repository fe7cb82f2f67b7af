import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { roles, tables } from "#src/app.ts"
import { firstRun } from "#src/demo/firstRun.ts"
import { HttpServer } from "#src/http/HttpServer.ts"
import { Settings } from "#src/settings.ts"
import { print } from "./output.ts"
import { runCommand } from "./run.ts"

/** Says on stdout, as its last line, that everything is up. */
const ready = Layer.effectDiscard(Effect.gen(function*() {
  const settings = yield* Settings
  const server = yield* Effect.serviceOption(HttpServer)
  const baseUrl = server._tag === "Some" ? server.value.baseUrl : settings.publicUrl
  if (!settings.production && baseUrl !== null) print(yield* firstRun(baseUrl))
  print(JSON.stringify({ ready: true, base_url: baseUrl }))
}))

export const serve = () => runCommand(Layer.launch(ready.pipe(Layer.provide(roles), Layer.provide(tables))))
