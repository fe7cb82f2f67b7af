import type { Query, Sql } from "#src/db/postgres/postgres.ts"

/**
 * The hash of a person's reference, salted with a value of the app `a`. It names nobody, but someone who has the salt
 * can check whether a guessed reference fits. The salt is in the row of the app, so it is the same after a restore.
 */
export const markIn = (sql: Sql, externalUserRef: Query) =>
  sql`sha256(convert_to(a.minor_salt::text || ' ' || ${externalUserRef}, 'UTF8'))`

/** The same of one person. */
export const personMark = (sql: Sql, appId: string, externalUserRef: string) => sql`
  (select ${markIn(sql, sql`${externalUserRef}::text`)} from apps a where a.app_id = ${appId})`

/** Whether a person with this reference was a minor when they were erased. */
export const isMarkedMinor = (sql: Sql, appId: string, externalUserRef: string) => sql`
  exists (select from minor_marks m where m.app_id = ${appId} and m.mark = ${personMark(sql, appId, externalUserRef)})`

/**
 * Records on erasure that a person is a minor: only a salted hash of the reference. The caller has locked the person.
 */
export const recordMinorMark = (sql: Sql, appId: string, externalUserRef: string) => sql`
  insert into minor_marks (app_id, mark)
  select app_id, ${personMark(sql, appId, externalUserRef)} from end_users
    where app_id = ${appId} and external_user_ref = ${externalUserRef} and age_band = 'minor' on conflict do nothing`
