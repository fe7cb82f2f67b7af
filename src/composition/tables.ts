import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { Allowances } from "#src/db/billing/Allowances.ts"
import { ApiKeys } from "#src/db/tenancy/ApiKeys.ts"
import { Apps } from "#src/db/tenancy/Apps.ts"
import { Characters } from "#src/db/character/Characters.ts"
import { CharacterArchival } from "#src/db/conversation/CharacterArchival.ts"
import { Database } from "#src/db/postgres/Database.ts"
import * as EmbeddedPostgres from "#src/db/postgres/embedded/open.ts"
import { EndUsers } from "#src/db/privacy/EndUsers.ts"
import { Erasures } from "#src/db/privacy/Erasures.ts"
import { IdempotencyKeys } from "#src/db/tenancy/IdempotencyKeys.ts"
import { Imports } from "#src/db/character/Imports.ts"
import { Ledger } from "#src/db/billing/Ledger.ts"
import { migrate } from "#src/db/postgres/migrate.ts"
import { requireSchema } from "#src/db/postgres/schemaDifference.ts"
import { ArcInfluences } from "#src/db/world/ArcInfluences.ts"
import { GraphEdges } from "#src/db/world/GraphEdges.ts"
import { Npcs } from "#src/db/world/Npcs.ts"
import { Relationships } from "#src/db/memory/Relationships.ts"
import { Sessions } from "#src/db/conversation/Sessions.ts"
import { Storylines } from "#src/db/world/Storylines.ts"
import { allTables } from "#src/db/catalogue/allTables.ts"
import { Tables } from "#src/db/postgres/catalogue/Tables.ts"
import { Usage } from "#src/db/billing/Usage.ts"
import { Settings } from "#src/settings/Settings.ts"

/** PostgreSQL, external or embedded, with whatever schema it has. */
export const connection = Layer.unwrap(
  Effect.gen(function* () {
    const { databaseUrl, dataDir } = yield* Settings
    const url = databaseUrl ?? Redacted.make((yield* EmbeddedPostgres.open(dataDir)).url)
    return Database.layer({ url, maxConnections: 12 })
  })
)

/** PostgreSQL with the current schema. */
export const database = Layer.effectDiscard(
  Effect.flatMap(Settings, ({ autoMigrate }) => (autoMigrate ? Effect.asVoid(migrate) : requireSchema))
).pipe(Layer.provideMerge(connection))

/** Reads and writes tables, without the engine. Sufficient for the command line. */
export const tables = Layer.mergeAll(
  Apps.layer,
  ApiKeys.layer,
  Allowances.layer,
  Usage.layer,
  Ledger.layer,
  IdempotencyKeys.layer,
  Imports.layer,
  EndUsers.layer,
  Erasures.layer,
  Npcs.layer,
  GraphEdges.layer,
  Storylines.layer,
  ArcInfluences.layer,
  Relationships.layer,
  Layer.mergeAll(Sessions.layer, CharacterArchival.layer).pipe(Layer.provideMerge(Characters.layer))
).pipe(Layer.provideMerge([LogSignals.layer, Layer.succeed(Tables, allTables)]), Layer.provideMerge(database))
