import * as Effect from "effect/Effect"
import { tables } from "#src/composition/tables.ts"
import { isKeyPrefix, readApiKey } from "#src/accounts/apiKey.ts"
import { type ApiKey, ApiKeys, type KeyRefused, MAX_KEYS } from "#src/db/tenancy/ApiKeys.ts"
import { toKeyResource } from "#src/http/tenancy/keyResource.ts"
import * as check from "#src/settings/checks.ts"
import { findApp } from "./app.ts"
import { BadArgument } from "#src/commands/terminal/BadArgument.ts"
import { print } from "#src/commands/terminal/output.ts"
import { runCommand } from "#src/commands/terminal/run.ts"

/** Number of keys per query. */
const PAGE_SIZE = 500
/** A day. */
const LONGEST_GRACE_SECONDS = 86_400

/** People in a hurry pass the whole key. */
const readPrefix = (given: string) => {
  const prefix = readApiKey(given)?.prefix ?? given
  return isKeyPrefix(prefix)
    ? Effect.succeed(prefix)
    : Effect.fail(
        new BadArgument({ problem: "PREFIX must be the prefix of a key, as key list shows it, or a whole key" })
      )
}

const noSuchKey = (prefix: string) => new BadArgument({ problem: `there is no key with the prefix ${prefix}` })
const refused = ({ reason }: KeyRefused) =>
  Effect.fail(
    new BadArgument({
      problem:
        reason === "ended"
          ? "this key is already revoked, expired or rotated: create another"
          : `the app has ${MAX_KEYS} active keys, which is the limit`
    })
  )

/** `troupe key create APP_ID` */
export const createKey = (args: { readonly appId: string }) =>
  runCommand(
    Effect.gen(function* () {
      const made = yield* ApiKeys.use((keys) => keys.create(args.appId, { name: "command line" })).pipe(
        Effect.catchTag("KeyRefused", refused),
        Effect.provide(tables)
      )
      if (made === undefined) return yield* new BadArgument({ problem: `there is no app ${args.appId}` })
      print(JSON.stringify({ app_id: args.appId, api_key: made.minted.apiKey, prefix: made.minted.prefix }))
    })
  )

/** `troupe key revoke PREFIX` */
export const revokeKey = (args: { readonly prefix: string }) =>
  runCommand(
    Effect.gen(function* () {
      const prefix = yield* readPrefix(args.prefix)
      const revoked = yield* ApiKeys.use((keys) => keys.revoke({ prefix })).pipe(Effect.provide(tables))
      if (revoked === undefined) return yield* noSuchKey(prefix)
      print(JSON.stringify({ prefix, revoked: true }))
    })
  )

/** `troupe key rotate PREFIX [--grace-seconds N]` */
export const rotateKey = (args: { readonly prefix: string; readonly graceSeconds: string | undefined }) =>
  runCommand(
    Effect.gen(function* () {
      const prefix = yield* readPrefix(args.prefix)
      const grace = yield* check.whole("--grace-seconds", args.graceSeconds ?? "0", 0, LONGEST_GRACE_SECONDS)
      const rotated = yield* ApiKeys.use((keys) => keys.rotate({ prefix }, grace)).pipe(
        Effect.catchTag("KeyRefused", refused),
        Effect.provide(tables)
      )
      if (rotated === undefined) return yield* noSuchKey(prefix)
      const { appId, minted, replaced } = rotated
      print(
        JSON.stringify({
          app_id: appId,
          api_key: minted.apiKey,
          prefix: minted.prefix,
          replaces: prefix,
          replaced_until: replaced.revoked_at ?? replaced.expires_at
        })
      )
    })
  )

/** `troupe key list APP_ID`: in order of creation, including ended keys. */
export const listKeys = (args: { readonly appId: string }) =>
  runCommand(
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const { app_id: appId } = yield* findApp(args.appId)
      const listed: Array<ReturnType<typeof toKeyResource>> = []
      for (let after: string | null | undefined = null; after !== undefined;) {
        const page: ReadonlyArray<ApiKey> = yield* keys.list(appId, { after, limit: PAGE_SIZE })
        listed.push(...page.map(toKeyResource))
        after = page.length === PAGE_SIZE ? page.at(-1)?.prefix : undefined
      }
      print(JSON.stringify({ app_id: appId, api_keys: listed }))
    }).pipe(Effect.provide(tables))
  )
