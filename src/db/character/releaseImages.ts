import type { ReleaseUnits } from "#src/db/crashes/HeldUnits.ts"
import { Database } from "#src/db/postgres/Database.ts"

/** A try that a worker has stopped is given back. One at which it died counts. */
export const releaseImages: ReleaseUnits = ({ stopped }) =>
  Database.use(({ query }) =>
    query(
      (sql) => sql`
      update images set attempt = attempt - 1
      where owner = any(${[...stopped]}::text[]) and status = 'generating' and attempt > 0`
    )
  )
