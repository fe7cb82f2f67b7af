import { StoredObjects } from "#src/db/character/StoredObjects.ts"
import { task } from "#src/jobs/runner/task.ts"

/** Deletes from the storage what no row refers to any more. */
export const objectsTask = task(
  "objects",
  StoredObjects.use((objects) => objects.sweep),
  { cron: "*/5 * * * *" }
)
