import * as Config from "effect/Config"

/** A text setting with a default. */
export const text = (name: string, otherwise: string) => Config.String(name).pipe(Config.withDefault(otherwise))
