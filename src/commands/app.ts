import * as Effect from "effect/Effect"
import { tables } from "#src/app.ts"
import { Apps } from "#src/db/Apps.ts"
import { BadArgument } from "./BadArgument.ts"
import { print } from "./output.ts"
import { runCommand } from "./run.ts"

/** Apps that one query fetches. */
const A_PAGE = 500

const readBudget = (text: string | undefined) => {
  if (text === undefined) return Effect.succeed(null)
  const usd = Number(text)
  return /^\d+(\.\d+)?$/.test(text) && usd <= 1_000_000
    ? Effect.succeed(Math.round(usd * 1_000_000))
    : Effect.fail(new BadArgument({ problem: "--budget-usd must be a number of dollars from 0 to 1000000" }))
}

/** `troupe app create NAME [--budget-usd N]` */
export const createApp = (args: { readonly name: string; readonly budgetUsd: string | undefined }) =>
  runCommand(Effect.gen(function*() {
    const monthlyBudgetMicroUsd = yield* readBudget(args.budgetUsd)
    if (args.name.trim() === "" || [...args.name].length > 80) return yield* new BadArgument({ problem: "NAME must be 1 to 80 characters" })
    const { appId, key } = yield* Apps.use((apps) => apps.create({ name: args.name, monthlyBudgetMicroUsd })).pipe(Effect.provide(tables))
    print(JSON.stringify({ app_id: appId, api_key: key.apiKey, prefix: key.prefix }))
  }))

/** `troupe app list`: those of every account. */
export const listApps = () =>
  runCommand(Effect.gen(function*() {
    const apps = yield* Apps
    const listed: Array<object> = []
    for (let after: string | null | undefined = null; after !== undefined;) {
      const page: ReadonlyArray<{ readonly app_id: string; readonly account_id: string; readonly name: string; readonly environment: string; readonly created_at: Date }> =
        yield* apps.list({ accountId: null, after, limit: A_PAGE })
      listed.push(...page.map(({ app_id, account_id, name, environment, created_at }) => ({ app_id, account_id, name, environment, created_at })))
      after = page.length === A_PAGE ? page.at(-1)?.app_id : undefined
    }
    print(JSON.stringify({ apps: listed }))
  }).pipe(Effect.provide(tables)))
