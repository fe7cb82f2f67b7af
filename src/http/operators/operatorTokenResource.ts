import { prefixLength } from "#src/accounts/credential.ts"
import type { OperatorToken } from "#src/db/operators/OperatorTokens.ts"

export const toOperatorToken = (token: OperatorToken, nowMs: number) => ({
  prefix: token.prefix,
  name: token.name,
  role: token.role,
  status: token.revoked_at !== null ? "revoked" : token.expires_at.getTime() <= nowMs ? "expired" : "active",
  created_by: token.created_by,
  created_at: token.created_at.toISOString(),
  expires_at: token.expires_at.toISOString(),
  revoked_at: token.revoked_at?.toISOString() ?? null,
  last_used_at: token.last_used_at?.toISOString() ?? null
})

/** Whether the text in a path can name a token. */
export const isTokenPrefix = (text: string): boolean =>
  text.length === prefixLength("op_") && /^op_[0-9A-Za-z]+$/.test(text)
