import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Cell } from "#src/accounts/cell.ts"
import { Settings } from "#src/settings/Settings.ts"

/** The code of this cell. */
export const cell = Layer.effect(
  Cell,
  Effect.map(Settings, ({ cell }) => cell)
)
