import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { connection } from "#src/composition/database.ts"
import { givenSecretsKeys } from "#src/composition/secretsKeys.ts"
import { checkKey } from "#src/db/operators/backup/checkKey.ts"
import { openBackup } from "#src/db/operators/backup/readBackup.ts"
import { readErasures } from "#src/db/operators/backup/erasureFile.ts"
import { restoreBackup } from "#src/db/operators/backup/restoreBackup.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { summaryOf, withProgress } from "./backup.ts"
import { note, print } from "#src/commands/terminal/output.ts"
import { runCommandOn } from "#src/commands/terminal/run.ts"

/** `troupe restore FILE [--repeat-erasures FILE]` */
export const restoreFrom = (file: string, repeatErasures: string | undefined) =>
  runCommandOn(
    connection,
    Effect.gen(function* () {
      const keys = yield* givenSecretsKeys
      const { sessions, directUrl } = yield* Database
      const { manifest, restored } = yield* withProgress(async ({ onRead, onProgress }, limits) => {
        const erasures = repeatErasures === undefined ? [] : await readErasures(repeatErasures)
        const backup = await openBackup(file, onRead, limits)
        const url = Redacted.value(directUrl)
        try {
          return {
            manifest: backup.manifest,
            restored: await restoreBackup(sessions, url, backup, onProgress, checkKey(keys), limits, erasures)
          }
        } finally {
          backup.close()
        }
      })
      const { ended, appKeys, accountTokens, repeatedErasures } = restored
      print(
        JSON.stringify({
          file,
          restored: true,
          deliveries: "on_hold",
          ...summaryOf(manifest),
          ended,
          repeated_erasures: repeatedErasures,
          app_keys: { count: appKeys.length, keys: appKeys },
          account_tokens: { count: accountTokens.length, tokens: accountTokens }
        })
      )
      note(`this is the server as it was at ${manifest.made_at}: what was revoked or erased since then is back`)
      note(
        `${appKeys.length} app keys and ${accountTokens.length} account tokens are valid: revoke those that were ` +
          "revoked since then. Operator tokens, sessions of operators and sign-in links have ended"
      )
      note(
        repeatErasures === undefined
          ? "erasures since then are not repeated: for that, restore with --repeat-erasures FILE"
          : `${repeatedErasures} erasures since then are repeated when the server runs`
      )
      if (keys.length === 0)
        note("SECRETS_KEY is not set, so it was not checked: the server needs the one of the backup")
      note('deliveries are on hold until you run "npm run -s troupe -- resume-deliveries"')
    })
  )
