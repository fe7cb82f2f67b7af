import * as Layer from "effect/Layer"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { Allowances } from "#src/db/billing/Allowances.ts"
import { ApiKeys } from "#src/db/tenancy/ApiKeys.ts"
import { Apps } from "#src/db/tenancy/Apps.ts"
import { Characters } from "#src/db/character/Characters.ts"
import { CharacterArchival } from "#src/db/conversation/CharacterArchival.ts"
import { EndUsers } from "#src/db/privacy/EndUsers.ts"
import { Erasures } from "#src/db/privacy/Erasures.ts"
import { IdempotencyKeys } from "#src/db/tenancy/IdempotencyKeys.ts"
import { FailedImports } from "#src/db/character/FailedImports.ts"
import { Imports } from "#src/db/character/Imports.ts"
import { Ledger } from "#src/db/billing/Ledger.ts"
import { ArcInfluences } from "#src/db/world/ArcInfluences.ts"
import { GraphEdges } from "#src/db/world/GraphEdges.ts"
import { Npcs } from "#src/db/world/Npcs.ts"
import { Relationships } from "#src/db/memory/Relationships.ts"
import { Sessions } from "#src/db/conversation/Sessions.ts"
import { Storylines } from "#src/db/world/Storylines.ts"
import { allTables } from "#src/db/catalogue/allTables.ts"
import { Tables } from "#src/db/postgres/catalogue/Tables.ts"
import { Usage } from "#src/db/billing/Usage.ts"
import { cell } from "./cell.ts"
import { database } from "./database.ts"

/** Reads and writes tables, without the engine. Sufficient for the command line. */
export const tables = Layer.mergeAll(
  Apps.layer,
  ApiKeys.layer,
  Allowances.layer,
  Usage.layer,
  Ledger.layer,
  IdempotencyKeys.layer,
  Imports.layer,
  FailedImports.layer,
  EndUsers.layer,
  Erasures.layer,
  Npcs.layer,
  GraphEdges.layer,
  Storylines.layer,
  ArcInfluences.layer,
  Relationships.layer,
  Layer.mergeAll(Sessions.layer, CharacterArchival.layer).pipe(Layer.provideMerge(Characters.layer))
).pipe(
  Layer.provide(cell),
  Layer.provideMerge([LogSignals.layer, Layer.succeed(Tables, allTables)]),
  Layer.provideMerge(database)
)
