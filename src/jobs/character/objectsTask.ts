import { StoredObjects } from "#src/db/character/StoredObjects.ts"
import { task } from "#src/jobs/runner/task.ts"

/** Deletes stored objects that no row refers to. */
export const objectsTask = task(
  "objects",
  StoredObjects.use((objects) => objects.sweep),
  { cron: "*/5 * * * *" }
)
