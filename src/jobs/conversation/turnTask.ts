import { taskFor } from "#src/jobs/runner/task.ts"
import { SessionsPayload, sessionsOf } from "./sessionsPayload.ts"
import { TurnRunner } from "./TurnRunner.ts"

// The job does not wait until its turns are answered. Otherwise jobs of other apps could not be fetched.
export const turnTask = taskFor("turn", SessionsPayload, (payload) =>
  TurnRunner.use((runner) => runner.wake(sessionsOf(payload)))
)
