import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { database } from "#src/composition/database.ts"
import { rotateSecrets as rotate } from "#src/db/postgres/rotateSecrets.ts"
import { SEALED_COLUMNS } from "#src/db/postgres/sealedColumns.ts"
import { Secrets, SecretsKeys } from "#src/db/postgres/Secrets.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { auditing } from "#src/db/tenancy/auditLog.ts"
import { OPERATOR } from "#src/db/tenancy/operator.ts"
import { secretsKeys } from "#src/composition/secretsKeys.ts"
import { Settings } from "#src/settings/Settings.ts"
import { BadArgument } from "#src/commands/terminal/BadArgument.ts"
import { print } from "#src/commands/terminal/output.ts"
import { runCommand } from "#src/commands/terminal/run.ts"

/** `troupe secrets rotate` */
export const rotateSecrets = () =>
  runCommand(
    Effect.gen(function* () {
      const { secrets } = yield* Settings
      if (secrets.newKey === null)
        return yield* new BadArgument({
          problem: "SECRETS_KEY_NEW: must be set: the key that replaces SECRETS_KEY"
        })
      const rotated = yield* Effect.gen(function* () {
        const record = auditing(yield* Database)
        const { sealing } = yield* SecretsKeys
        return yield* rotate(
          SEALED_COLUMNS,
          record({ accountId: OPERATOR, action: "secrets.rotated", detail: { key_id: sealing.id.toString("hex") } })
        )
      }).pipe(Effect.provide(Secrets.layer.pipe(Layer.provideMerge(database), Layer.provideMerge(secretsKeys))))
      print(JSON.stringify({ rotated }))
    })
  )
