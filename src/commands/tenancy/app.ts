import * as Effect from "effect/Effect"
import { tables } from "#src/composition/tables.ts"
import { type App, Apps } from "#src/db/tenancy/Apps.ts"
import { SHADOW_ACCOUNT } from "#src/db/tenancy/shadow.ts"
import { toAppResource } from "#src/http/tenancy/appResource.ts"
import { BadArgument } from "#src/commands/terminal/BadArgument.ts"
import { print } from "#src/commands/terminal/output.ts"
import { runCommand } from "#src/commands/terminal/run.ts"

/** Number of apps per query. */
const PAGE_SIZE = 500

const readBudget = (text: string | undefined) => {
  if (text === undefined) return Effect.succeed(null)
  const usd = Number(text)
  return /^\d+(\.\d+)?$/.test(text) && usd <= 1_000_000
    ? Effect.succeed(Math.round(usd * 1_000_000))
    : Effect.fail(new BadArgument({ problem: "--budget-usd must be a number of dollars from 0 to 1000000" }))
}

const readName = (name: string) =>
  name.trim() !== "" && [...name].length <= 80
    ? Effect.succeed(name)
    : Effect.fail(new BadArgument({ problem: "NAME must be 1 to 80 characters" }))

export const noSuchApp = (appId: string) => new BadArgument({ problem: `there is no app ${appId}` })

/** An app of any account. Apps that evals run in are internal and excluded. */
export const findApp = Effect.fnUntraced(function* (appId: string) {
  const app = yield* Apps.use((apps) => apps.get(appId))
  return app === undefined || app.account_id === SHADOW_ACCOUNT ? yield* noSuchApp(appId) : app
})

const printApp = (app: App) => print(JSON.stringify({ account_id: app.account_id, ...toAppResource(app) }))

/** `troupe app create NAME [--budget-usd N]` */
export const createApp = (args: { readonly name: string; readonly budgetUsd: string | undefined }) =>
  runCommand(
    Effect.gen(function* () {
      const monthlyBudgetMicroUsd = yield* readBudget(args.budgetUsd)
      const name = yield* readName(args.name)
      const { appId, key } = yield* Apps.use((apps) => apps.create({ name, monthlyBudgetMicroUsd })).pipe(
        Effect.provide(tables)
      )
      print(JSON.stringify({ app_id: appId, api_key: key.apiKey, prefix: key.prefix }))
    })
  )

/** `troupe app list`: the apps of all accounts. */
export const listApps = () =>
  runCommand(
    Effect.gen(function* () {
      const apps = yield* Apps
      const listed: Array<object> = []
      for (let after: string | null | undefined = null; after !== undefined;) {
        const page: ReadonlyArray<App> = yield* apps.list({ accountId: null, after, limit: PAGE_SIZE })
        listed.push(
          ...page.map(({ app_id, account_id, name, environment, created_at, suspended_at, suspended_reason }) => ({
            app_id,
            account_id,
            name,
            environment,
            created_at,
            suspended_at,
            suspended_reason
          }))
        )
        after = page.length === PAGE_SIZE ? page.at(-1)?.app_id : undefined
      }
      print(JSON.stringify({ apps: listed }))
    }).pipe(Effect.provide(tables))
  )

/** `troupe app show APP_ID` */
export const showApp = (args: { readonly appId: string }) =>
  runCommand(
    Effect.gen(function* () {
      printApp(yield* findApp(args.appId))
    }).pipe(Effect.provide(tables))
  )

/** `troupe app rename APP_ID NAME` */
export const renameApp = (args: { readonly appId: string; readonly name: string }) =>
  runCommand(
    Effect.gen(function* () {
      const name = yield* readName(args.name)
      yield* findApp(args.appId)
      const renamed = yield* Apps.use((apps) => apps.patch(args.appId, { name }))
      printApp(renamed ?? (yield* noSuchApp(args.appId)))
    }).pipe(Effect.provide(tables))
  )
