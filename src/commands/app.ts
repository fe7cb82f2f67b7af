import * as Effect from "effect/Effect"
import { tables } from "#src/app.ts"
import { PREFIX_LENGTH, readApiKey } from "#src/accounts/apiKey.ts"
import { Apps } from "#src/db/Apps.ts"
import { BadArgument } from "./BadArgument.ts"
import { print } from "./output.ts"
import { runCommand } from "./run.ts"

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

/** `troupe key revoke PREFIX`. Somebody in haste gives the whole key. */
export const revokeKey = (args: { readonly prefix: string }) =>
  runCommand(Effect.gen(function*() {
    const prefix = readApiKey(args.prefix)?.prefix ?? args.prefix
    if (prefix.length !== PREFIX_LENGTH) return yield* new BadArgument({ problem: `PREFIX must be the first ${PREFIX_LENGTH} characters of a key, or a whole one` })
    const revoked = yield* Apps.use((apps) => apps.revokeKey(prefix)).pipe(Effect.provide(tables))
    if (!revoked) return yield* new BadArgument({ problem: `there is no key with the prefix ${prefix}` })
    print(JSON.stringify({ prefix, revoked: true }))
  }))

/** `troupe key create APP_ID` */
export const createKey = (args: { readonly appId: string }) =>
  runCommand(Effect.gen(function*() {
    const key = yield* Apps.use((apps) => apps.createKey(args.appId, "command line")).pipe(Effect.provide(tables))
    if (key === null) return yield* new BadArgument({ problem: `there is no app ${args.appId}` })
    print(JSON.stringify({ app_id: args.appId, api_key: key.apiKey, prefix: key.prefix }))
  }))
