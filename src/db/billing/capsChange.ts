import type { AppAllowance, AppLimits, EndUserLimits } from "./Allowances.ts"

/** Undefined: it stays as it is. */
interface AppCaps extends Partial<AppLimits> {
  readonly messages_per_minute: number | null | undefined
  readonly defaults: Partial<EndUserLimits> | undefined
}

const given = (change: object): object =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))

/** A change of caps for the audit log: what it sets, and what that was before. */
export const capsChange = (before: object, change: object): object => ({
  ...given(change),
  before: Object.fromEntries(Object.entries(before).filter(([field]) => field in given(change)))
})

/** The same for an app, whose defaults for end-users are caps of their own. */
export const appCapsChange = (before: AppAllowance, { defaults, ...change }: AppCaps): object => {
  if (defaults === undefined) return capsChange(before, change)
  const ofDefaults = Object.entries(before.defaults).filter(([field]) => field in given(defaults))
  return capsChange(
    { ...before, default_end_user_caps: Object.fromEntries(ofDefaults) },
    { ...change, default_end_user_caps: defaults }
  )
}
