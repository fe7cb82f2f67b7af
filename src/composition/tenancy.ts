import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AccountAuthentication } from "#src/accounts/AccountAuthentication.ts"
import { Authentication } from "#src/accounts/Authentication.ts"
import { IdentityProvider } from "#src/accounts/IdentityProvider.ts"
import { KeyWatch } from "#src/accounts/KeyWatch.ts"
import { StreamTokens } from "#src/accounts/StreamTokens.ts"
import { Accounts } from "#src/db/tenancy/Accounts.ts"
import { AccountTokens } from "#src/db/tenancy/AccountTokens.ts"
import { AuditEntries } from "#src/db/tenancy/AuditEntries.ts"
import { DeviceApprovals } from "#src/db/tenancy/DeviceApprovals.ts"
import { DeviceCodes } from "#src/db/tenancy/DeviceCodes.ts"
import { RateLimits } from "#src/db/tenancy/RateLimits.ts"
import { RollingLimits } from "#src/db/tenancy/RollingLimits.ts"
import { cell } from "./cell.ts"
import { Settings } from "#src/settings/Settings.ts"

const identityProvider = Layer.unwrap(
  Effect.gen(function* () {
    const { oidc, outboundAllow, production, trustedProxies } = yield* Settings
    return IdentityProvider.layer({ issuer: oidc, production, behindProxy: trustedProxies > 0, allow: outboundAllow })
  })
)

const deviceCodes = DeviceCodes.layer.pipe(Layer.provide(AccountTokens.layer))

const accounts = Layer.mergeAll(
  AccountAuthentication.layer,
  AuditEntries.layer,
  deviceCodes,
  DeviceApprovals.layer,
  identityProvider
).pipe(Layer.provideMerge(Layer.merge(Accounts.layer, AccountTokens.layer)))

const rateLimits = Layer.unwrap(Effect.map(Settings, ({ rates }) => RateLimits.layer(rates)))

/** Rate and usage limits. */
export const limits = Layer.merge(rateLimits, RollingLimits.layer)

/** Services that routes use. */
export const serving = Layer.mergeAll(
  accounts,
  Authentication.layer.pipe(Layer.provide(cell)),
  KeyWatch.layer,
  StreamTokens.layer
)

/** Services that jobs use. */
export const working = deviceCodes
