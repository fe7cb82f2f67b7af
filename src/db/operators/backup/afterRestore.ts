import { COMMAND_LINE } from "#src/accounts/Actor.ts"
import { markIn } from "#src/db/conversation/personMarks.ts"
import type { Sql } from "#src/db/postgres/postgres.ts"
import { blankPerson } from "#src/db/privacy/erasePerson.ts"
import { dropExportOf } from "#src/db/privacy/dropExports.ts"
import { addEntry } from "#src/db/tenancy/auditLog.ts"
import { OPERATOR } from "#src/db/tenancy/operator.ts"
import type { Manifest } from "./backupFile.ts"
import type { ErasureMark } from "./erasureFile.ts"

/** What a restore has brought back, and what it has done about that. */
export interface Restored {
  /** The access of operators, which was ended: it may have been revoked since the backup. */
  readonly ended: {
    readonly operator_tokens: number
    readonly operator_sessions: number
    readonly sign_in_links: number
  }
  /** The credentials of apps and accounts that are valid, as at the time of the backup. */
  readonly appKeys: ReadonlyArray<{ readonly app_id: string; readonly prefix: string; readonly name: string }>
  readonly accountTokens: ReadonlyArray<{
    readonly account_id: string
    readonly prefix: string
    readonly client_name: string
  }>
  /** Erasures since the backup of people whom the backup has. */
  readonly repeatedErasures: number
}

/** Ends the access of operators, used or not. They sign in again. */
const endAccess = async (sql: Sql): Promise<Restored["ended"]> => {
  const tokens = await sql`
    update operator_tokens set revoked_at = now() where revoked_at is null and expires_at > now() returning 1`
  const sessions = await sql`
    update operator_sessions set revoked_at = now() where revoked_at is null and expires_at > now() returning 1`
  const links = await sql`delete from console_codes returning 1`
  return { operator_tokens: tokens.length, operator_sessions: sessions.length, sign_in_links: links.length }
}

const findKeys = (sql: Sql) =>
  sql<Array<{ app_id: string; prefix: string; name: string }>>`
    select app_id, prefix, name from api_keys
    where revoked_at is null and (expires_at is null or expires_at > now()) order by app_id, prefix`

const findAccountTokens = (sql: Sql) =>
  sql<Array<{ account_id: string; prefix: string; client_name: string }>>`
    select account_id, prefix, client_name from account_tokens
    where revoked_at is null and expires_at > now() order by account_id, prefix`

/**
 * Begins the erasures again that the backup does not know, which are all later than it: so they cover everything that
 * it has about these people. Each keeps its receipt. Of several of one person, one is enough, also if one was under way
 * at the time of the backup. Those of people who came later are receipts only.
 */
const repeatErasures = async (sql: Sql, marks: ReadonlyArray<ErasureMark>): Promise<number> => {
  if (marks.length === 0) return 0
  const begun = await sql<Array<{ app_id: string; erasure_id: string; external_user_ref: string | null }>>`
    with given as materialized (
      select g.app_id, g.erasure_id, g.created_at, decode(g.mark, 'hex') as mark
      from json_to_recordset(${JSON.stringify(marks)}::text::json)
        as g(app_id text, erasure_id text, created_at timestamptz, mark text)
        join apps a on a.app_id = g.app_id
      where not exists (select from erasures e where e.app_id = g.app_id and e.erasure_id = g.erasure_id)
    ), people as materialized (
      select u.app_id, u.external_user_ref, ${markIn(sql, sql`u.external_user_ref`)} as mark
      from end_users u join apps a using (app_id)
      where u.app_id in (select app_id from given)
    ), found as materialized (
      select g.app_id, g.erasure_id, g.created_at, g.mark, p.external_user_ref,
        row_number() over (partition by g.app_id, g.mark order by g.created_at desc, g.erasure_id desc) as place
      from given g left join people p on p.app_id = g.app_id and p.mark = g.mark
    ), under_way as (
      update erasures e set created_at = greatest(e.created_at, f.created_at)
      from found f
      where f.place = 1 and e.app_id = f.app_id and e.external_user_ref = f.external_user_ref
        and e.status <> 'completed'
      returning e.app_id, e.external_user_ref
    )
    insert into erasures (app_id, erasure_id, external_user_ref, status, created_at, completed_at, mark)
    select f.app_id, f.erasure_id, case when n.begins then f.external_user_ref end,
      case when n.begins then 'queued' else 'completed' end,
      f.created_at, case when n.begins then null else now() end, f.mark
    from found f cross join lateral (
      select f.place = 1 and f.external_user_ref is not null
        and not exists (select from under_way u where u.app_id = f.app_id
          and u.external_user_ref = f.external_user_ref) as begins
    ) n
    returning app_id, erasure_id, external_user_ref`
  let repeated = 0
  for (const { app_id: appId, erasure_id: erasureId, external_user_ref: ref } of begun) {
    if (ref === null) continue
    repeated++
    await blankPerson(sql, appId, ref)
    await dropExportOf(sql, appId, ref)
    await addEntry(sql, COMMAND_LINE, {
      appId,
      action: "end_user.erased",
      subject: erasureId,
      detail: { repeated_after_restore: true }
    })
  }
  await sql`select graphile_worker.add_job('erasures', '{}'::json)`
  return repeated
}

/**
 * What a backup must not bring back. It runs in the transaction of the restore, and is recorded there. The rows are
 * those of an earlier time, so what was revoked or erased since then is back.
 */
export const afterRestore = async (
  sql: Sql,
  { made_at }: Manifest,
  marks: ReadonlyArray<ErasureMark>
): Promise<Restored> => {
  const ended = await endAccess(sql)
  const repeatedErasures = await repeatErasures(sql, marks)
  const [appKeys, accountTokens] = [await findKeys(sql), await findAccountTokens(sql)]
  await addEntry(sql, COMMAND_LINE, {
    accountId: OPERATOR,
    action: "server.restored",
    detail: {
      backup_made_at: made_at,
      ...ended,
      app_keys: appKeys.length,
      account_tokens: accountTokens.length,
      repeated_erasures: repeatedErasures
    }
  })
  return { ended, appKeys: [...appKeys], accountTokens: [...accountTokens], repeatedErasures }
}
