import * as Layer from "effect/Layer"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { SharedSweeps } from "#src/jobs/runner/SharedSweeps.ts"
import * as Watchdog from "#src/jobs/runner/Watchdog.ts"
import * as administration from "./administration.ts"
import * as billing from "./billing.ts"
import * as character from "./character.ts"
import * as conversation from "./conversation.ts"
import * as delivery from "./delivery.ts"
import { jobs } from "./jobs.ts"
import * as evals from "./evals.ts"
import * as memory from "./memory.ts"
import { workerPresence } from "./operators.ts"
import * as operators from "./operators.ts"
import * as privacy from "./privacy.ts"
import { proactiveDecisions } from "./proactive.ts"
import * as research from "./research.ts"
import * as telegram from "./telegram.ts"
import { pollers } from "./telegramBots.ts"
import * as tenancy from "./tenancy.ts"
import { turnPipeline } from "./turnPipeline.ts"
import * as world from "./world.ts"

/** A process in the role `worker`. */
export const worker = Layer.mergeAll(jobs, pollers, workerPresence, Watchdog.ofWorker).pipe(
  Layer.provide(evals.working),
  Layer.provide([
    character.working,
    conversation.working,
    delivery.working,
    memory.working,
    privacy.exporting,
    research.working,
    telegram.working
  ]),
  Layer.provide(turnPipeline),
  Layer.provide([character.stores, conversation.stores, memory.stores, research.stores, world.stores]),
  Layer.provide(SharedSweeps.layer),
  Layer.provide([
    Membership.layer,
    billing.working,
    administration.working,
    operators.working,
    proactiveDecisions,
    privacy.working,
    telegram.suspensions,
    tenancy.working
  ])
)
