import * as Config from "effect/Config"

/** A setting that has a value of its own where none is given. */
export const text = (name: string, otherwise: string) => Config.String(name).pipe(Config.withDefault(otherwise))
