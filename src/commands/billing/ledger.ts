import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { tables } from "#src/composition/tables.ts"
import { Ledger } from "#src/db/billing/Ledger.ts"
import { BadArgument } from "#src/commands/terminal/BadArgument.ts"
import { print } from "#src/commands/terminal/output.ts"
import { runCommand } from "#src/commands/terminal/run.ts"

const MAX_DAYS = 3660

/** `troupe ledger check [--app APP_ID] [--days N]` */
export const checkLedger = (args: { readonly app: string | undefined; readonly days: string | undefined }) =>
  runCommand(
    Effect.gen(function* () {
      const days = Number(args.days ?? 2)
      if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS)
        return yield* new BadArgument({ problem: `--days must be a whole number from 1 to ${MAX_DAYS}` })
      const since = new Date((yield* Clock.currentTimeMillis) - Duration.toMillis(Duration.days(days)))
      const { turns, mismatches } = yield* Ledger.use((ledger) =>
        ledger.reconcile({ appId: args.app ?? null, since })
      ).pipe(Effect.provide(tables))
      print(JSON.stringify({ turns, mismatches }))
      if (mismatches.length > 0)
        yield* new BadArgument({ problem: `the ledger does not match ${mismatches.length} of ${turns} turns` })
    })
  )
