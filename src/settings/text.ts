import * as Config from "effect/Config"
import { declareDefault } from "./effectiveSettings.ts"

/** A text setting with a default. */
export const text = (name: string, otherwise: string) => {
  declareDefault(name, otherwise)
  return Config.String(name).pipe(Config.withDefault(otherwise))
}
