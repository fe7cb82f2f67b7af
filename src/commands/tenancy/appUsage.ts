import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ServerFlags } from "#src/commands/terminal/api.ts"
import { connectViewer } from "#src/commands/terminal/operatorApi.ts"
import { print, printable } from "#src/commands/terminal/output.ts"
import { queryOf } from "#src/commands/terminal/queryOf.ts"
import { runClient } from "#src/commands/terminal/run.ts"

interface UsageFlags extends Pick<ServerFlags, "url"> {
  readonly appId: string
  readonly by?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly json?: boolean | undefined
}

const Spending = Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  group_by: Schema.String,
  groups: Schema.Array(
    Schema.Struct({
      key: Schema.String,
      cost_usd: Schema.Number,
      turns: Schema.Int,
      failed_turns: Schema.Int,
      input_tokens: Schema.Int,
      output_tokens: Schema.Int
    })
  )
})

/** `troupe app usage APP_ID` */
export const showUsage = ({ appId, by = "day", ...flags }: UsageFlags) =>
  runClient(
    Effect.gen(function* () {
      const api = yield* connectViewer(flags)
      // An app that does not exist is an error, and not one without usage.
      yield* api.get(`/admin/apps/${encodeURIComponent(appId)}`, Schema.Unknown)
      const query = queryOf({ app_id: appId, group_by: by, from: flags.from, to: flags.to })
      const spending = yield* api.get(`/admin/ledger${query}`, Spending)
      if (flags.json === true) return print(JSON.stringify(spending))
      for (const { key, cost_usd, turns, failed_turns } of spending.groups)
        print(`${printable(key)}  $${cost_usd.toFixed(6)}  ${turns} turns, ${failed_turns} failed`)
    })
  )
