import * as z from "zod"
import { ALL_SCOPES, type Scope } from "#src/accounts/scopes.ts"
import { AppData, AppPatch } from "./appSchemas.ts"
import { moment } from "#src/http/server/schemas/moment.ts"
import { wholeBetween } from "#src/http/server/schemas/number.ts"
import { text } from "#src/http/server/schemas/text.ts"

const time = z.iso.datetime()
const DAY_SECONDS = 86_400
export const scope = z.enum(ALL_SCOPES as [Scope, ...ReadonlyArray<Scope>])
const environment = z.enum(["test", "live"])

export const AccountAppCreate = z.object({
  name: text(1, 80).meta({ examples: ["My app"] }),
  environment: environment.default("live").meta({ description: "Your own label. It has no effect" })
})
export const AccountAppPatch = AppPatch.extend({ environment: environment.optional() }).meta(AppPatch.meta() ?? {})
export const AccountAppPage = z.object({ apps: z.array(AppData), next_cursor: z.string().nullable() })

export const KeyCreate = z.object({
  name: text(1, 80)
    .default("unnamed")
    .meta({ description: "A name to recognize the key", examples: ["production backend"] }),
  expires_at: moment
    .nullable()
    .optional()
    .meta({
      description: "When the key expires, in the future. null: it does not expire",
      examples: ["2099-12-31T00:00:00Z"]
    })
})
export const KeyRotate = z.object({
  grace_seconds: wholeBetween(0, DAY_SECONDS)
    .default(0)
    .meta({ description: "How long the old key stays valid. 0: it is revoked immediately" })
})
export const KeyData = z.object({
  prefix: z.string().describe("Identifies the key. The rest of the key is not stored"),
  name: z.string(),
  status: z.enum(["active", "expired", "revoked"]),
  created_at: time,
  expires_at: time.nullable(),
  revoked_at: time.nullable(),
  last_used_at: time.nullable().describe("Accurate to one minute"),
  replaced_by: z.string().nullable().describe("Prefix of the key that replaces this one")
})
export const KeyPage = z.object({ api_keys: z.array(KeyData), next_cursor: z.string().nullable() })
export const shownKey = {
  api_key: z
    .string()
    .optional()
    .describe("The whole key, ck_..., shown only once. Not in the replay of an Idempotency-Key")
}
export const KeyRotated = KeyData.extend({ replaces: KeyData.describe("The replaced key") })

export const TokenData = z.object({
  prefix: z.string(),
  client_name: z.string(),
  scopes: z.array(scope),
  created_at: time,
  expires_at: time,
  last_used_at: time.nullable().describe("Accurate to one minute")
})
export const AccountData = z.object({
  account_id: z.string(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  created_at: time,
  token: TokenData.describe("The token of this request"),
  tokens: z.array(TokenData).describe("All active tokens")
})
export const AuditEntryData = z.object({
  id: z.string(),
  at: time,
  action: z.string().describe("The action, such as api_key.revoked"),
  actor: z
    .object({
      kind: z.enum(["operator", "person", "account_token", "runtime_key", "anybody"]),
      id: z.string().nullable().describe("Prefix of the token or key. null: the operator of this server, or a person")
    })
    .describe("Who performed the action"),
  app_id: z.string().nullable(),
  subject: z
    .string()
    .nullable()
    .describe("Target of the action: prefix of a key or token, reference of an end-user, or id of an erasure"),
  detail: z.record(z.string(), z.unknown())
})
export const AuditPage = z.object({ entries: z.array(AuditEntryData), next_cursor: z.string().nullable() })

export const TokenRevoke = z
  .object({
    prefix: z.string().max(40).optional().meta({
      description:
        "Another token of the account, which requires the scope keys:write. Default: the token of this request"
    })
  })
  .optional()
export const TokenRevoked = z.object({ prefix: z.string(), revoked: z.literal(true) })

/** The grant of RFC 8628. */
export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"

const UNNAMED = "an unnamed program"
export const DeviceStart = z
  .object({
    client_name: text(1, 80)
      .default(UNNAMED)
      .meta({ description: "Name of the program, shown to the approver", examples: ["My deployment agent"] }),
    scopes: z
      .array(scope)
      .min(1)
      .max(ALL_SCOPES.length)
      .optional()
      .meta({ description: "Scopes of the token. Default: all" })
  })
  .default({ client_name: UNNAMED })
export const DeviceStarted = z.object({
  device_code: z.string().describe("Secret of the program, to fetch the token"),
  user_code: z.string().describe("Code that the person enters or compares"),
  verification_uri: z.url().describe("URL that the person opens"),
  verification_uri_complete: z.url().describe("The same URL with the code filled in"),
  expires_in: z.int().describe("Seconds"),
  expires_at: time,
  interval: z.int().describe("Minimum seconds between two requests for the token"),
  interval_seconds: z.int()
})
export const DeviceToken = z.object({
  device_code: z.string().min(1).max(200),
  grant_type: z.literal(DEVICE_GRANT).optional()
})
export const DeviceTokenData = z.object({
  access_token: z.string().describe("The account token, lat_..., shown only once"),
  token_type: z.literal("bearer"),
  scopes: z.array(scope),
  scope: z.string().describe("The same scopes, separated by spaces"),
  expires_in: z.int().describe("Seconds"),
  expires_at: time
})
