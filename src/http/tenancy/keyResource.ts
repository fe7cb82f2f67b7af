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
