import type postgres from "postgres"
import { allTables } from "#src/db/catalogue/allTables.ts"
import { read, type Start } from "#src/accounts/credential.ts"

/**
 * Keys, tokens, cookies and codes that we issue have a checksum, so that all issued ones are found and no invented
 * ones. The others are recognized by their form alone.
 */
const FORMS = {
  minted: /(ck_(?:[a-z0-9]{1,8}_)?|lat_|dc_|op_|os_|oc_)[0-9A-Za-z]{46}/g,
  userCode: /(?<![A-Za-z0-9-])[BCDFGHJKLMNPQRSTVWXZ]{5}-[BCDFGHJKLMNPQRSTVWXZ]{5}(?![A-Za-z0-9-])/g,
  stream: /st_ck_[\w.-]{30,100}\.[\w-]{43}/g,
  webhook: /whsec_[A-Za-z0-9+/]{32,}={0,2}/g,
  bot: /\b\d{8,}:[A-Za-z0-9_-]{35}\b/g
}

/** The secrets in a text. */
export const secretsIn = (text: string): ReadonlyArray<string> =>
  [
    ...[...text.matchAll(FORMS.minted)].filter(([found, kind]) => read(kind as Start, found) !== null),
    ...text.matchAll(FORMS.userCode),
    ...text.matchAll(FORMS.stream),
    ...text.matchAll(FORMS.webhook),
    ...text.matchAll(FORMS.bot)
  ].map(([found]) => found)

/** Decodes bytes that are shown as hexadecimal digits. */
const decoded = (row: string) =>
  row.replaceAll(/\\\\?x([0-9a-f]{18,})/g, (_, digits: string) => Buffer.from(digits, "hex").toString("latin1"))

const ANY =
  "(ck_([a-z0-9]{1,8}_)?|lat_|dc_|op_|os_|oc_)[0-9A-Za-z]{46}|st_ck_[A-Za-z0-9_.-]{70}|" +
  "[B-Z]{5}-[B-Z]{5}|whsec_[A-Za-z0-9+/]{32}|" +
  "[0-9]{8,}:[A-Za-z0-9_-]{35}|" +
  "636b5f|6c61745f|64635f|6f705f|6f735f|6f635f|77687365635f|([45][0-9a-f]){5}2d([45][0-9a-f]){5}|" +
  "(3[0-9]){8}3a([2-7][0-9a-f]){35}"

/**
 * The names of the tables in which a readable secret is found. Searches all declared tables (test/db/catalogue finds
 * undeclared ones) and those of the jobs. A table without a file of any size has never had a row.
 */
export const tablesWithSecrets = async (sql: postgres.Sql): Promise<ReadonlyArray<string>> => {
  const declared = allTables.map(({ name }) => name)
  const tables = await sql<Array<{ name: string; look: string }>>`
    select c.relname as name, format('(select %L as name, t::text as row from %I.%I t where t::text ~ $1 limit 200)',
      c.relname, n.nspname, c.relname) as look
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'r'
      and pg_relation_size(c.oid) > 0
      and (n.nspname = 'graphile_worker' or n.nspname = 'public' and c.relname = any(${declared})) order by 1`
  if (tables.length === 0) return []
  const rows = await sql.unsafe<Array<{ name: string; row: string }>>(
    tables.map(({ look }) => look).join(" union all "),
    [ANY]
  )
  const found = rows
    .filter(({ row }) => secretsIn(row).length > 0 || secretsIn(decoded(row)).length > 0)
    .map(({ name }) => name)
  return [...new Set(found)]
}
