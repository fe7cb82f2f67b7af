import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { task } from "#src/jobs/runner/task.ts"
import { Manager } from "./Manager.ts"

export const managerTask = task(
  "manager",
  Effect.flatMap(
    Membership.use(({ current }) => current),
    Option.match({
      onNone: () => Effect.void,
      onSome: (owner) => Manager.use((manager) => manager.work(owner))
    })
  ),
  { cron: "* * * * *" }
)
