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
  readonly channel?: string | undefined
  readonly state?: string | undefined
  readonly "status-class"?: string | undefined
  readonly error?: string | undefined
  readonly event?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly json?: boolean | undefined
}
interface ListFlags extends FilterFlags {
  readonly limit?: string | undefined
}
interface RetryFlags extends FilterFlags {
  readonly attempt?: string | undefined
  readonly "per-minute"?: string | undefined
  readonly reason?: string | undefined
  readonly "dry-run"?: boolean | undefined
}

const MAX_PAGE = 100

const Attempt = Schema.StructWithRest(
  Schema.Struct({
    id: Schema.String,
    app_id: Schema.String,
    outcome: Schema.String,
    error_code: Schema.NullOr(Schema.String),
    at: Schema.String,
    delivered: Schema.Boolean
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)
const Attempts = Schema.Struct({ deliveries: Schema.Array(Attempt), next_cursor: Schema.NullOr(Schema.String) })
const Retried = Schema.Struct({ event_id: Schema.String, channel_id: Schema.String, outcome: Schema.String })
const Preview = Schema.Struct({
  selection: Schema.Struct({
    deliveries: Schema.Int,
    apps: Schema.Int,
    channels: Schema.Int,
    sample: Schema.Array(Schema.Struct({ event_id: Schema.String, channel_id: Schema.String, outcome: Schema.String }))
  })
})

const filterOf = (flags: FilterFlags) => ({
  app_id: flags.app,
  channel_id: flags.channel,
  state: flags.state,
  status_class: flags["status-class"],
  error_code: flags.error,
  event_id: flags.event,
  since: flags.since,
  until: flags.until
})

const line = ({ id, app_id, outcome, error_code, at, delivered }: typeof Attempt.Type) =>
  [at, outcome, error_code ?? "-", app_id, id, ...(delivered ? ["delivered"] : [])].map(printable).join("  ")

/** `troupe delivery list` */
export const listDeliveries = (flags: ListFlags) =>
  runClient(
    Effect.gen(function* () {
      const api = yield* connectViewer(flags)
      const limit = flags.limit === undefined ? 25 : yield* check.whole("--limit", flags.limit, 1, 100_000)
      let cursor: string | null = ""
      for (let left = limit; left > 0 && cursor !== null;) {
        const query = queryOf({ ...filterOf(flags), limit: String(Math.min(MAX_PAGE, left)), cursor })
        const page: typeof Attempts.Type = yield* api.get(`/admin/deliveries${query}`, Attempts)
        for (const attempt of page.deliveries) print(flags.json === true ? JSON.stringify(attempt) : line(attempt))
        left -= page.deliveries.length
        cursor = page.next_cursor
      }
    })
  )

/** `troupe delivery retry`: one, or all that the flags name and that have not arrived since. */
export const retryDeliveries = (flags: RetryFlags) =>
  runClient(
    Effect.gen(function* () {
      const api = yield* connectOperator(flags)
      const json = flags.json === true
      const reason = flags.reason ?? null
      if (flags.attempt !== undefined) {
        const path = `/admin/deliveries/${encodeURIComponent(flags.attempt)}/retry`
        const retried = yield* api.post(path, { reason }, Retried)
        return print(json ? JSON.stringify(retried) : `${retried.event_id}: ${retried.outcome}`)
      }
      if (flags.since === undefined && flags.event === undefined)
        return yield* new BadArgument({ problem: "give an attempt id, --since or --event; see --help" })
      const filter = filterOf(flags)
      const per_minute =
        flags["per-minute"] === undefined ? 60 : yield* check.whole("--per-minute", flags["per-minute"], 1, 6000)
      const { selection } = yield* api.post("/admin/deliveries/batches", { filter, dry_run: true }, Preview)
      if (flags["dry-run"] === true) {
        if (json) return print(JSON.stringify(selection))
        print(`${selection.deliveries} deliveries of ${selection.apps} apps through ${selection.channels} channels`)
        for (const { event_id, channel_id, outcome } of selection.sample)
          print(["", event_id, channel_id, outcome].map(printable).join("  "))
        return
      }
      const { id } = yield* api.post(
        "/admin/deliveries/batches",
        { filter, per_minute, reason, expected_deliveries: selection.deliveries },
        Batch
      )
      yield* followBatch(api, id, json)
    })
  )
