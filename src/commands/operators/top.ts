import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as check from "#src/settings/checks.ts"
import { connectViewer } from "#src/commands/terminal/operatorApi.ts"
import { print, printable } from "#src/commands/terminal/output.ts"
import { Overview, overviewLines } from "./overviewScreen.ts"
import { runClient } from "#src/commands/terminal/run.ts"

interface TopFlags {
  readonly url: string | undefined
  readonly every: string | undefined
  readonly json: boolean
  readonly once: boolean
}

const Workers = Schema.Struct({
  processes: Schema.Array(
    Schema.Struct({
      process_id: Schema.String,
      version: Schema.String,
      roles: Schema.Array(Schema.String),
      host: Schema.String,
      pid: Schema.Int,
      last_heartbeat_at: Schema.String,
      holds: Schema.Struct({
        turns: Schema.Int,
        lanes: Schema.Int,
        telegram_updates: Schema.Int,
        jobs: Schema.Int
      })
    })
  )
})

/** Moves the cursor to the top left and clears the screen. */
const CLEAR = "\u001b[H\u001b[2J"

const processLines = ({ processes }: typeof Workers.Type, now: number): ReadonlyArray<string> =>
  processes.map(({ host, pid, version, roles, last_heartbeat_at, holds }) => {
    const silent = Math.max(0, Math.round((now - Date.parse(last_heartbeat_at)) / 1000))
    return printable(
      `${host}:${pid} v${version} ${roles.join(",")}, heartbeat ${silent} s ago: ${holds.turns} turns, ` +
        `${holds.lanes} lanes, ${holds.telegram_updates} updates, ${holds.jobs} jobs`
    )
  })

/** `troupe top`: refreshes the screen of a terminal, and prints screen after screen or JSON lines elsewhere. */
export const showTop = (flags: TopFlags) =>
  runClient(
    Effect.gen(function* () {
      const pause = flags.every === undefined ? Duration.seconds(2) : yield* check.seconds("--every", flags.every)
      const api = yield* connectViewer(flags)
      const isScreen = process.stdout.isTTY === true && !flags.json && !flags.once

      const round = Effect.gen(function* () {
        const [overview, workers] = yield* Effect.all(
          [api.get("/admin/overview", Overview), api.get("/admin/workers", Workers)],
          { concurrency: 2 }
        )
        const now = yield* Clock.currentTimeMillis
        if (flags.json) return print(JSON.stringify({ at: new Date(now).toISOString(), ...overview, ...workers }))
        const lines = [new Date(now).toISOString(), ...overviewLines(overview, now), "", ...processLines(workers, now)]
        print((isScreen ? CLEAR : "") + lines.join("\n"))
      })
      if (flags.once) return yield* round
      // A server that is restarting is there again in a moment.
      const shown = Effect.catchTag(round, "ApiFailed", (error) =>
        error.passing
          ? Effect.sync(() => print(flags.json ? JSON.stringify({ error: error.message }) : printable(error.message)))
          : Effect.fail(error)
      )
      yield* Effect.forever(Effect.andThen(shown, Effect.sleep(pause)))
    })
  )
