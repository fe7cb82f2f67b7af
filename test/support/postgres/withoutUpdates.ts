import type { TestServer } from "#test/support/TestServer.ts"

/** While this runs, no Telegram update can be stored. */
export const withoutUpdates = async (
  { database: { sql } }: TestServer,
  work: () => Promise<unknown>
): Promise<void> => {
  await sql`alter table telegram_updates add constraint takes_none check (false) not valid`
  try {
    await work()
  } finally {
    await sql`alter table telegram_updates drop constraint takes_none`
  }
}
