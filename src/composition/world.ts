import { Worlds } from "#src/db/world/Worlds.ts"
import * as PostgresWorldStore from "#src/db/world/PostgresWorldStore.ts"

/** The people, places and stories of a character. */
export const shared = Worlds.layer

/** Services that turns read from. */
export const stores = PostgresWorldStore.layer
