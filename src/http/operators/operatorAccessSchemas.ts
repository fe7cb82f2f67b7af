import * as z from "zod"
import { OPERATOR_ROLES } from "#src/accounts/Operator.ts"
import { listQuery } from "#src/http/server/listing.ts"
import { momentOrDay } from "#src/http/server/schemas/moment.ts"
import { wholeInQuery } from "#src/http/server/schemas/number.ts"
import { text } from "#src/http/server/schemas/text.ts"

const time = z.iso.datetime()
const Role = z.enum(OPERATOR_ROLES)
const prefix = z.string().describe("Its first characters, which may be shown")

export const OperatorData = z.object({
  id: z.string().describe("ADMIN_TOKEN, the prefix of a token, `console link`, or the email of a person"),
  name: z.string(),
  role: Role,
  via: z.enum(["admin_token", "token", "session"]),
  session: prefix.nullable()
})

export const MAX_TOKEN_DAYS = 366
export const OperatorTokenCreate = z.object({
  name: text(1, 80).meta({ examples: ["Status board"] }),
  role: Role,
  expires_in_days: z.int().min(1).max(MAX_TOKEN_DAYS).default(90)
})
export const OperatorTokenData = z.object({
  prefix,
  name: z.string(),
  role: Role,
  status: z.enum(["active", "expired", "revoked"]),
  created_by: z.string().nullable().describe("Id of the operator. null: the command line"),
  created_at: time,
  expires_at: time,
  revoked_at: time.nullable(),
  last_used_at: time.nullable().describe("Accurate to one minute")
})
export const OperatorTokenPage = z.object({ tokens: z.array(OperatorTokenData), next_cursor: z.string().nullable() })
export const OperatorTokenCreated = OperatorTokenData.extend({
  token: z.string().optional().describe("The whole token. Shown only once")
})

export const SignInData = z.object({
  prefix,
  operator: z.string(),
  name: z.string(),
  role: Role,
  method: z.enum(["admin_token", "code", "issuer"]),
  address: z.string(),
  user_agent: z.string().nullable(),
  is_current: z.boolean().describe("Whether it is the session of this request"),
  created_at: time,
  expires_at: time,
  last_used_at: time.describe("Accurate to one minute")
})
export const SignInPage = z.object({ sign_ins: z.array(SignInData), next_cursor: z.string().nullable() })
export const SignInRevoked = z.object({ prefix, revoked: z.literal(true) })

export const BreakGlassOpen = z.object({
  reason: text(10, 500).meta({ examples: ["The end-user reported an insulting reply, ticket 4711"] })
})
export const BreakGlassData = z.object({ session_id: z.string(), open_until: time })

const auditFilter = {
  actor: z.string().max(300).optional().describe("Id of an operator, or prefix of a key or token"),
  actor_kind: z.enum(["operator", "person", "account_token", "runtime_key", "anybody"]).optional(),
  action: z
    .string()
    .max(100)
    .optional()
    .meta({ examples: ["app.suspended"] }),
  app_id: z.string().max(100).optional(),
  subject: z.string().max(300).optional(),
  since: momentOrDay.optional().describe("Inclusive"),
  until: momentOrDay.optional().describe("Exclusive")
}
export const AuditQuery = z.object({ ...auditFilter, ...listQuery })
export const MAX_EXPORTED = 10_000
export const AuditExportQuery = z.object({
  ...auditFilter,
  format: z.enum(["csv", "jsonl"]).default("csv"),
  cursor: listQuery.cursor,
  limit: wholeInQuery(1, MAX_EXPORTED).default(MAX_EXPORTED)
})
export const OperatorAuditEntryData = z.object({
  id: z.string(),
  at: time,
  action: z.string(),
  actor: z.object({
    kind: z.enum(["operator", "person", "account_token", "runtime_key", "anybody"]),
    id: z.string().nullable().describe("null: the command line, or a person of the account"),
    address: z.string().nullable(),
    credential: z.string().nullable().describe("Of an operator: prefix of the session or token")
  }),
  account_id: z.string().nullable().describe("null: the entry is about the server"),
  app_id: z.string().nullable(),
  subject: z.string().nullable(),
  detail: z.record(z.string(), z.unknown())
})
export const OperatorAuditPage = z.object({
  entries: z.array(OperatorAuditEntryData),
  next_cursor: z.string().nullable()
})
