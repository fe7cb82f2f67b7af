import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Database } from "#src/db/postgres/Database.ts"
import { EMPTY_REPORT } from "#src/imports/Report.ts"

/** How long an expired import stays visible. */
const SHOWN = "30 days"

/** Closes expired imports, and deletes those that were closed without a character long ago. */
export const makeExpireImports = ({ query, transaction }: Context.Service.Shape<typeof Database>) =>
  transaction(
    Effect.gen(function* () {
      yield* query(
        (sql) => sql`
    with over as (
      update imports set status = 'expired', content_hash = null, bundle = null,
        report = ${JSON.stringify(EMPTY_REPORT)}::text::json, updated_at = now()
      where status in ('needs_review', 'ready') and expires_at <= now() returning app_id, import_id
    )
    delete from import_images i using over o where i.app_id = o.app_id and i.import_id = o.import_id`
      )
      yield* query(
        (sql) =>
          sql`delete from imports where status in ('discarded', 'expired')
            and updated_at < now() - ${SHOWN}::interval`
      )
    })
  )
