import * as Effect from "effect/Effect"
import { tables } from "#src/composition/tables.ts"
import { Relationships } from "#src/db/memory/Relationships.ts"
import { BadArgument } from "#src/commands/terminal/BadArgument.ts"
import { print } from "#src/commands/terminal/output.ts"
import { runCommand } from "#src/commands/terminal/run.ts"

/** `troupe rebuild SESSION` */
export const rebuild = (args: { readonly session: string }) =>
  runCommand(
    Effect.gen(function* () {
      const rebuilt = yield* Relationships.use((relationships) => relationships.rebuild(args.session)).pipe(
        Effect.provide(tables)
      )
      if (rebuilt === null) return yield* new BadArgument({ problem: `there is no session ${args.session}` })
      print(JSON.stringify({ session_id: args.session, ...rebuilt }))
    })
  )
