import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { Allowances } from "#src/db/Allowances.ts"
import { ApiKeys } from "#src/db/ApiKeys.ts"
import { Apps } from "#src/db/Apps.ts"
import { Characters } from "#src/db/Characters.ts"
import { Database } from "#src/db/Database.ts"
import * as EmbeddedPostgres from "#src/db/embedded/open.ts"
import { EndUsers } from "#src/db/EndUsers.ts"
import { Erasures } from "#src/db/Erasures.ts"
import { IdempotencyKeys } from "#src/db/IdempotencyKeys.ts"
import { Imports } from "#src/db/Imports.ts"
import { Ledger } from "#src/db/Ledger.ts"
import { migrate } from "#src/db/migrate.ts"
import { ArcInfluences } from "#src/db/ArcInfluences.ts"
import { GraphEdges } from "#src/db/GraphEdges.ts"
import { Npcs } from "#src/db/Npcs.ts"
import { Relationships } from "#src/db/Relationships.ts"
import { Sessions } from "#src/db/Sessions.ts"
import { Storylines } from "#src/db/Storylines.ts"
import { Usage } from "#src/db/Usage.ts"
import { Settings } from "./settings.ts"

/** PostgreSQL, given or embedded, with the schema up to date. */
export const database = Layer.unwrap(Effect.gen(function*() {
  const { databaseUrl, dataDir } = yield* Settings
  const url = databaseUrl ?? Redacted.make((yield* EmbeddedPostgres.open(dataDir)).url)
  return Layer.effectDiscard(migrate).pipe(Layer.provideMerge(Database.layer({ url, maxConnections: 12 })))
}))

/** What reads and writes tables, without the engine. Enough for the command line. */
export const tables = Layer.mergeAll(Apps.layer, ApiKeys.layer, Allowances.layer, Usage.layer, Ledger.layer, IdempotencyKeys.layer, Imports.layer, EndUsers.layer, Erasures.layer, Npcs.layer, GraphEdges.layer, Storylines.layer, ArcInfluences.layer, Relationships.layer, Sessions.layer.pipe(Layer.provideMerge(Characters.layer))).pipe(
  Layer.provideMerge(LogSignals.layer),
  Layer.provideMerge(database)
)
