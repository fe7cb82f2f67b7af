import * as Effect from "effect/Effect"
import { connection } from "#src/composition/database.ts"
import { migrate } from "#src/db/postgres/migrate.ts"
import { migrationFiles } from "#src/db/postgres/migrationFiles.ts"
import { print } from "#src/commands/terminal/output.ts"
import { runCommand } from "#src/commands/terminal/run.ts"

/** `troupe migrate` */
export const migrateDatabase = () =>
  runCommand(
    Effect.gen(function* () {
      const applied = yield* migrate.pipe(Effect.provide(connection))
      print(JSON.stringify({ applied, schema: migrationFiles().at(-1) }))
    })
  )
