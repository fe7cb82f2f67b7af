import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ExpiredSandboxes } from "#src/db/privacy/ExpiredSandboxes.ts"
import { Exports } from "#src/db/privacy/Exports.ts"
import { PersonReader } from "#src/db/privacy/PersonReader.ts"
import { Retention } from "#src/db/privacy/Retention.ts"
import { Sandboxes } from "#src/db/privacy/Sandboxes.ts"
import { demoCharacters } from "#src/demo/characters.ts"
import { ExportMaker } from "#src/jobs/privacy/ExportMaker.ts"
import { Settings } from "#src/settings/Settings.ts"

/** How many of the demo characters a new sandbox gets. */
const READY = 2
const sandboxes = Layer.unwrap(
  Effect.gen(function* () {
    const {
      demo: { sandbox, keysPerHour }
    } = yield* Settings
    return Sandboxes.layer({ open: sandbox, keysPerHour, characters: demoCharacters.slice(0, READY) })
  })
)

/** Services that routes use. */
export const serving = Layer.merge(sandboxes, Exports.layer)

/** Services that jobs use. */
export const working = Layer.merge(
  ExpiredSandboxes.layer,
  Layer.unwrap(Effect.map(Settings, ({ retention }) => Retention.layer(retention)))
)

/** What makes exports. */
export const exporting = ExportMaker.layer.pipe(Layer.provide([Exports.layer, PersonReader.layer]))
