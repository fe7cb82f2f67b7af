import * as Effect from "effect/Effect"
import { tables } from "#src/composition/tables.ts"
import { CODE_MINUTES, ConsoleCodes } from "#src/db/operators/ConsoleCodes.ts"
import { Settings } from "#src/settings/Settings.ts"
import { note, print } from "#src/commands/terminal/output.ts"
import { runCommand } from "#src/commands/terminal/run.ts"

/** A link that signs in to the console of a server, once. */
export const consoleUrlOf = (baseUrl: string) =>
  ConsoleCodes.use(({ create }) => create).pipe(
    Effect.map((code) => `${baseUrl}/console?code=${code}`),
    Effect.provide(ConsoleCodes.layer)
  )

/** `troupe console`: for anyone who can reach the database. */
export const printConsoleLink = () =>
  runCommand(
    Effect.gen(function* () {
      const { publicUrl, port } = yield* Settings
      const url = yield* consoleUrlOf(publicUrl ?? `http://127.0.0.1:${port}`).pipe(Effect.provide(tables))
      print(url)
      note(`this link signs you in to the console as an owner, once, within ${CODE_MINUTES} minutes`)
    })
  )
