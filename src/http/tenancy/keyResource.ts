import { PREFIX_LENGTH } from "#src/accounts/apiKey.ts"
import type { ApiKey } from "#src/db/tenancy/ApiKeys.ts"

const iso = (time: Date | null) => time?.toISOString() ?? null

export const toKeyResource = (key: ApiKey) => ({
  prefix: key.prefix,
  name: key.name,
  status: key.status,
  created_at: key.created_at.toISOString(),
  expires_at: iso(key.expires_at),
  revoked_at: iso(key.revoked_at),
  last_used_at: iso(key.last_used_at),
  replaced_by: key.replaced_by
})

/** Whether external text can be the prefix of a key. */
export const isKeyPrefix = (text: string): boolean => text.length === PREFIX_LENGTH && /^ck_[0-9A-Za-z]+$/.test(text)
