import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { tables } from "#src/composition/tables.ts"
import { Allowances } from "#src/db/billing/Allowances.ts"
import { readAppCaps, toAppCapsResource } from "#src/http/billing/caps.ts"
import * as check from "#src/settings/checks.ts"
import { Settings } from "#src/settings/Settings.ts"
import { findApp } from "./app.ts"
import { BadArgument } from "#src/commands/terminal/BadArgument.ts"
import { print } from "#src/commands/terminal/output.ts"
import { runCommand } from "#src/commands/terminal/run.ts"

const MAX_USD = 1_000_000
const MAX_PER_DAY = 10_000
const MAX_PER_MINUTE = 1_000_000

/** The flags as typed. Undefined: the cap stays unchanged. */
export interface CapsFlags {
  readonly "daily-budget-usd"?: string | undefined
  readonly "monthly-budget-usd"?: string | undefined
  readonly "hard-stop"?: string | undefined
  readonly "end-user-daily-messages"?: string | undefined
  readonly "end-user-daily-usd"?: string | undefined
  readonly "end-user-monthly-usd"?: string | undefined
  readonly "end-user-daily-images"?: string | undefined
  readonly "messages-per-minute"?: string | undefined
}

const isUsd = (text: string) => /^\d{1,9}(?:\.\d{1,9})?$/.test(text) && Number(text) <= MAX_USD

/** Undefined: the flag is missing. Null: no limit. */
const readUsd = Effect.fnUntraced(function* (flags: CapsFlags, name: keyof CapsFlags) {
  const given = flags[name]
  if (given === undefined) return undefined
  if (given === "none") return null
  if (isUsd(given)) return Number(given)
  return yield* new BadArgument({ problem: `--${name}: must be a number of dollars from 0 to ${MAX_USD}, or none` })
})
const readCount = Effect.fnUntraced(function* (flags: CapsFlags, name: keyof CapsFlags, from: number, to: number) {
  const given = flags[name]
  if (given === undefined) return undefined
  if (given === "none") return null
  return yield* check.whole(`--${name}`, given, from, to)
})
const readSwitch = Effect.fnUntraced(function* (flags: CapsFlags, name: keyof CapsFlags) {
  const given = flags[name]
  return given === undefined ? undefined : (yield* check.oneOf(`--${name}`, given, ["true", "false"])) === "true"
})

/** The flags as the body of `PATCH /v1/account/apps/{app_id}/caps`. */
const readFlags = Effect.fnUntraced(function* (flags: CapsFlags) {
  const ofEndUsers = {
    daily_messages: yield* readCount(flags, "end-user-daily-messages", 0, MAX_PER_DAY),
    daily_cost_usd: yield* readUsd(flags, "end-user-daily-usd"),
    monthly_cost_usd: yield* readUsd(flags, "end-user-monthly-usd"),
    daily_images: yield* readCount(flags, "end-user-daily-images", 0, MAX_PER_DAY)
  }
  const perMinute = yield* readCount(flags, "messages-per-minute", 1, MAX_PER_MINUTE)
  return {
    daily_budget_usd: yield* readUsd(flags, "daily-budget-usd"),
    monthly_budget_usd: yield* readUsd(flags, "monthly-budget-usd"),
    hard_stop: yield* readSwitch(flags, "hard-stop"),
    default_end_user_caps: Object.values(ofEndUsers).every((cap) => cap === undefined) ? undefined : ofEndUsers,
    rate_limits: perMinute === undefined ? undefined : { messages_per_minute: perMinute }
  }
})

/**
 * `troupe app caps APP_ID [--daily-budget-usd N|none] ...`: changes the caps that the flags name and prints all caps.
 */
export const appCaps = ({ appId, flags }: { readonly appId: string; readonly flags: CapsFlags }) =>
  runCommand(
    Effect.gen(function* () {
      const change = yield* readFlags(flags)
      const app = yield* findApp(appId)
      const isChange = Object.values(change).some((cap) => cap !== undefined)
      const allowance = yield* Allowances.use((allowances) =>
        isChange ? allowances.limitApp(appId, app.account_id, readAppCaps(change)) : allowances.ofApp(appId)
      )
      const { rates } = yield* Settings
      print(
        JSON.stringify({
          app_id: appId,
          ...toAppCapsResource(allowance, rates.messages, yield* Clock.currentTimeMillis)
        })
      )
    }).pipe(Effect.provide(tables))
  )
