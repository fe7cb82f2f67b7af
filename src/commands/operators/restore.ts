import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { connection } from "#src/composition/database.ts"
import { givenSecretsKeys } from "#src/composition/secretsKeys.ts"
import { checkKey } from "#src/db/operators/backup/checkKey.ts"
import { openBackup } from "#src/db/operators/backup/readBackup.ts"
import { restoreBackup } from "#src/db/operators/backup/restoreBackup.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { summaryOf, withProgress } from "./backup.ts"
import { note, print } from "#src/commands/terminal/output.ts"
import { runCommand } from "#src/commands/terminal/run.ts"

/** `troupe restore FILE` */
export const restoreFrom = (file: string) =>
  runCommand(
    Effect.gen(function* () {
      const keys = yield* givenSecretsKeys
      const { sessions, directUrl } = yield* Database
      const manifest = yield* withProgress(async ({ onRead, onProgress }, signal) => {
        const backup = await openBackup(file, onRead, signal)
        try {
          await restoreBackup(sessions, Redacted.value(directUrl), backup, onProgress, checkKey(keys), signal)
          return backup.manifest
        } finally {
          backup.close()
        }
      })
      print(JSON.stringify({ file, restored: true, deliveries: "on_hold", ...summaryOf(manifest) }))
      if (keys.length === 0)
        note("SECRETS_KEY is not set, so it was not checked: the server needs the one of the backup")
      note('deliveries are on hold until you run "npm run -s troupe -- resume-deliveries"')
    }).pipe(Effect.provide(connection))
  )
