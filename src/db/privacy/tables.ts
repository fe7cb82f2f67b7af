import { iso } from "#src/db/postgres/moments.ts"
import type { PageOf, Statement, Table } from "#src/db/postgres/catalogue/Table.ts"
import { dropExportOf } from "./dropExports.ts"

const OWNERS = { app: "app_id", person: "external_user_ref" } as const

const profile: Statement<PageOf> = (sql, { appId, externalUserRef, after }) => sql`
  select ${externalUserRef}::text as at, to_json(r)::text as row from (
    select external_user_ref, display_name, timezone, locale, age_band, blocked, ${iso(sql, "created_at")}
    from end_users where app_id = ${appId} and external_user_ref = ${externalUserRef} and ${after} = ''
  ) r`

export const tables: ReadonlyArray<Table> = [
  {
    name: "exports",
    retention: { bounded: "one row for each person, until it expires" },
    owners: OWNERS,
    erasure: {
      traces: { instead: (sql, { appId, externalUserRef }) => dropExportOf(sql, appId, externalUserRef) }
    },
    exported: { not: "the export itself" }
  },
  {
    name: "erasures",
    retention: { kept: "the receipt of an erasure, with the reference of the person as a salted hash" },
    owners: OWNERS,
    erasure: {
      person: { kept: "the receipt; of the reference, only a salted hash stays when the erasure is completed" }
    },
    exported: { not: "the receipt of an erasure, which is all that is left then" }
  },
  {
    name: "end_users",
    retention: { bounded: "one row for each person; deleted with their erasure" },
    owners: OWNERS,
    erasure: { person: "deleted" },
    exported: {
      file: "profile.json",
      about: "What the app knows of them.",
      shape: "object",
      by: "person",
      rows: profile
    }
  }
]
