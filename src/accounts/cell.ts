import * as Context from "effect/Context"

/** The code of this cell, which new keys carry. Empty: it has none. */
export const Cell = Context.Reference<string>("src/accounts/Cell", { defaultValue: () => "" })
