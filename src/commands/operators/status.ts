import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { connectViewer } from "#src/commands/terminal/operatorApi.ts"
import { print } from "#src/commands/terminal/output.ts"
import { Overview, overviewLines } from "./overviewScreen.ts"
import { runClient } from "#src/commands/terminal/run.ts"

interface StatusFlags {
  readonly url: string | undefined
  readonly json: boolean
}

/** `troupe status`: one screen. The exit code is 1 if something is wrong, or if the server does not answer. */
export const showStatus = (flags: StatusFlags) =>
  runClient(
    Effect.gen(function* () {
      const api = yield* connectViewer(flags)
      const overview = yield* api.get("/admin/overview", Overview)
      if (flags.json) print(JSON.stringify(overview))
      else for (const line of overviewLines(overview, yield* Clock.currentTimeMillis)) print(line)
      if (overview.status !== "ok")
        yield* Effect.sync(() => {
          process.exitCode = 1
        })
    })
  )
