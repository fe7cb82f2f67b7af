import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as check from "#src/settings/checks.ts"
import { connect, type ServerFlags } from "#src/commands/terminal/api.ts"
import { eventLine } from "./eventLine.ts"
import { earliestAfter, follow } from "./follow.ts"
import { print } from "#src/commands/terminal/output.ts"
import { runClient } from "#src/commands/terminal/run.ts"

interface TailFlags extends ServerFlags {
  readonly session: string
  readonly since: string | undefined
  readonly json: boolean
}

/** `troupe events tail SESSION [--since N]` */
export const tailEvents = (flags: TailFlags) =>
  runClient(
    Effect.gen(function* () {
      const api = yield* connect(flags)
      const since =
        flags.since === undefined
          ? yield* earliestAfter(api, flags.session, 0)
          : yield* check.whole("--since", flags.since, 0, Number.MAX_SAFE_INTEGER)
      yield* follow(api, flags.session, since).pipe(
        Stream.runForEach(({ event, json }) => Effect.sync(() => print(flags.json ? json : eventLine(event))))
      )
    })
  )
