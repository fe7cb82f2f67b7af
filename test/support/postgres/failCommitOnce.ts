import type { TestServer } from "#test/support/TestServer.ts"

/**
 * Simulates the death of a process at the end of a transaction, with everything done and nothing committed: the next
 * transaction that writes such a row fails. Returns functions to check whether that has happened, and to stop it. One
 * at a time.
 */
export const failCommitOnce = async (
  { database: { sql } }: TestServer,
  write: { readonly event: "insert" | "update"; readonly table: string; readonly when: string }
) => {
  await sql`create sequence deaths`
  await sql`
    create function die() returns trigger language plpgsql as $$ begin
    if nextval('deaths') = 1 then raise exception 'killed' using errcode = '57P01'; end if; return null; end $$`
  await sql.unsafe(
    `create constraint trigger die after ${write.event} on ${write.table} deferrable initially deferred for ` +
      `each row when (${write.when}) execute function die()`
  )
  return {
    hasFailed: async () => (await sql`select 1 from deaths where is_called`).length === 1,
    end: async () => {
      await sql.unsafe(`drop trigger die on ${write.table}`)
      await sql`drop function die`
      await sql`drop sequence deaths`
    }
  }
}
