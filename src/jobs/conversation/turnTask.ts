import { taskFor } from "#src/jobs/runner/task.ts"
import { SessionsPayload, sessionsOf } from "./sessionsPayload.ts"
import { TurnRunner } from "./TurnRunner.ts"

// A job that stayed until its turns are answered would keep those of other apps from being fetched.
export const turnTask = taskFor("turn", SessionsPayload, (payload) =>
  TurnRunner.use((runner) => runner.wake(sessionsOf(payload)))
)
