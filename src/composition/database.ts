import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { beginFeedEpoch } from "#src/db/conversation/beginFeedEpoch.ts"
import { Database } from "#src/db/postgres/Database.ts"
import * as EmbeddedPostgres from "#src/db/postgres/embedded/open.ts"
import { migrate } from "#src/db/postgres/migrate.ts"
import { requirePooler } from "#src/db/postgres/pooler.ts"
import { whileStarting } from "#src/db/postgres/retry.ts"
import { requireSchema } from "#src/db/postgres/schemaDifference.ts"
import { Settings } from "#src/settings/Settings.ts"

/** PostgreSQL, external or embedded, with whatever schema it has. */
export const connection = Layer.unwrap(
  Effect.gen(function* () {
    const { databaseUrl, databaseDirectUrl: directUrl, dataDir } = yield* Settings
    const url = databaseUrl ?? Redacted.make((yield* EmbeddedPostgres.open(dataDir)).url)
    return Database.layer({ url, directUrl, maxConnections: 12 })
  })
)

/** PostgreSQL with the current schema. */
export const database = Layer.effectDiscard(
  requirePooler.pipe(
    Effect.andThen(Settings),
    Effect.flatMap(({ autoMigrate }) => (autoMigrate ? Effect.asVoid(migrate) : requireSchema)),
    Effect.andThen(whileStarting(beginFeedEpoch))
  )
).pipe(Layer.provideMerge(connection))
