import { Courier } from "#channels/Courier.ts"
import { task } from "#src/jobs/runner/task.ts"

export const deliverTask = task(
  "deliver",
  Courier.use((courier) => courier.wake)
)
