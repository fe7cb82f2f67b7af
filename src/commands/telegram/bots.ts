import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as check from "#src/settings/checks.ts"
import type { ServerFlags } from "#src/commands/terminal/api.ts"
import { BadArgument } from "#src/commands/terminal/BadArgument.ts"
import { Batch, followBatch } from "#src/commands/terminal/followBatch.ts"
import { connectOperator, connectViewer } from "#src/commands/terminal/operatorApi.ts"
import { print, printable } from "#src/commands/terminal/output.ts"
import { queryOf } from "#src/commands/terminal/queryOf.ts"
import { runClient } from "#src/commands/terminal/run.ts"

interface FilterFlags extends Pick<ServerFlags, "url"> {
  readonly app?: string | undefined
  readonly state?: string | undefined
  readonly because?: string | undefined
  readonly "lag-over"?: string | undefined
  readonly "silent-for"?: string | undefined
  readonly "unsent-for"?: string | undefined
  readonly json?: boolean | undefined
}
interface ListFlags extends FilterFlags {
  readonly limit?: string | undefined
}
interface ActionFlags extends FilterFlags {
  readonly bot?: string | undefined
  readonly all?: boolean | undefined
  readonly reason?: string | undefined
  readonly "dry-run"?: boolean | undefined
}

const MAX_SECONDS = 366 * 86_400
const MAX_PAGE = 100

const Bot = Schema.StructWithRest(
  Schema.Struct({
    id: Schema.String,
    app_id: Schema.String,
    username: Schema.NullOr(Schema.String),
    status: Schema.String,
    reason: Schema.NullOr(Schema.String),
    last_in_at: Schema.NullOr(Schema.String),
    last_out_at: Schema.NullOr(Schema.String)
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)
const Bots = Schema.Struct({ bots: Schema.Array(Bot), next_cursor: Schema.NullOr(Schema.String) })
const Preview = Schema.Struct({
  selection: Schema.Struct({
    bots: Schema.Int,
    apps: Schema.Int,
    statuses: Schema.Record(Schema.String, Schema.Int),
    sample: Schema.Array(Schema.Struct({ bot_id: Schema.String, app_id: Schema.String, status: Schema.String }))
  })
})

const line = ({ id, app_id, username, status, reason, last_in_at, last_out_at }: typeof Bot.Type) =>
  [
    status,
    id,
    app_id,
    username === null ? "-" : `@${username}`,
    reason ?? "-",
    `in ${last_in_at ?? "never"}`,
    `out ${last_out_at ?? "never"}`
  ]
    .map(printable)
    .join("  ")

/** `troupe bot list` */
export const listBots = (flags: ListFlags) =>
  runClient(
    Effect.gen(function* () {
      const api = yield* connectViewer(flags)
      const limit = flags.limit === undefined ? 25 : yield* check.whole("--limit", flags.limit, 1, 100_000)
      let cursor: string | null = ""
      for (let left = limit; left > 0 && cursor !== null;) {
        const query = queryOf({
          app_id: flags.app,
          state: flags.state,
          reason: flags.because,
          lag_over: flags["lag-over"],
          silent_for: flags["silent-for"],
          unsent_for: flags["unsent-for"],
          limit: String(Math.min(MAX_PAGE, left)),
          cursor
        })
        const page: typeof Bots.Type = yield* api.get(`/admin/bots${query}`, Bots)
        for (const bot of page.bots) print(flags.json === true ? JSON.stringify(bot) : line(bot))
        left -= page.bots.length
        cursor = page.next_cursor
      }
    })
  )

const readSeconds = (name: string, text: string | undefined) =>
  text === undefined ? Effect.succeed(undefined) : check.whole(name, text, 1, MAX_SECONDS)

/** `troupe bot suspend`, and the others: of one bot, or of all that the flags name. */
export const actOnBots = (action: string, flags: ActionFlags) =>
  runClient(
    Effect.gen(function* () {
      const filter = {
        all: flags.all === true ? true : undefined,
        bot_ids: flags.bot === undefined ? undefined : [flags.bot],
        app_id: flags.app,
        state: flags.state?.split(","),
        reason: flags.because,
        lag_over: yield* readSeconds("--lag-over", flags["lag-over"]),
        silent_for: yield* readSeconds("--silent-for", flags["silent-for"]),
        unsent_for: yield* readSeconds("--unsent-for", flags["unsent-for"])
      }
      if (Object.values(filter).every((value) => value === undefined))
        return yield* new BadArgument({ problem: "give a bot id, a filter or --all; see --help" })
      const api = yield* connectOperator(flags)
      const json = flags.json === true
      const { selection } = yield* api.post("/admin/bots/batches", { action, filter, dry_run: true }, Preview)
      if (flags["dry-run"] === true) {
        if (json) return print(JSON.stringify(selection))
        const states = Object.entries(selection.statuses).map(([state, bots]) => `${bots} ${state}`)
        const which = states.length === 0 ? "" : `: ${states.join(", ")}`
        print(`${action}: ${selection.bots} bots of ${selection.apps} apps${which}`)
        for (const { bot_id, app_id, status } of selection.sample)
          print(["", bot_id, app_id, status].map(printable).join("  "))
        return
      }
      if (flags.bot !== undefined && selection.bots === 0)
        return yield* new BadArgument({ problem: `there is no bot ${printable(flags.bot)}` })
      const reason = flags.reason ?? null
      const { id } = yield* api.post(
        "/admin/bots/batches",
        { action, filter, reason, expected_bots: selection.bots },
        Batch
      )
      yield* followBatch(api, id, json)
    })
  )
