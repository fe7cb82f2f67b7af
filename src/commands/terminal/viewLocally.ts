import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { connection } from "#src/composition/database.ts"
import { passingToken } from "#src/db/operators/passingToken.ts"
import { Settings } from "#src/settings/Settings.ts"
import { connectAs } from "./api.ts"

/** The server of this machine, as a viewer. Null: its database is not here, so nothing proves who asks. */
export const viewLocally = Effect.gen(function* () {
  const { publicUrl, port, databaseUrl, dataDir } = yield* Settings
  const url = publicUrl ?? `http://127.0.0.1:${port}`
  // A command that only looks must not create a database or start one.
  if (databaseUrl === null && !existsSync(join(dataDir, "pg", "postmaster.pid"))) return null
  const nobody = yield* connectAs(url, Redacted.make("none"), "TROUPE_OPERATOR_TOKEN")
  yield* Effect.scoped(nobody.open("/healthz"))
  const database = yield* Layer.build(connection)
  const token = yield* passingToken("troupe at the terminal").pipe(Effect.provideContext(database))
  return yield* connectAs(url, token, "TROUPE_OPERATOR_TOKEN")
}).pipe(Effect.provide(Settings.layer))
