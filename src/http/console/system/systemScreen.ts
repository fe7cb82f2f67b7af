import * as Effect from "effect/Effect"
import { Backlog } from "#src/db/operators/Backlog.ts"
import { Health } from "#src/db/operators/Health.ts"
import { Jobs } from "#src/db/operators/Jobs.ts"
import { Processes } from "#src/db/operators/Processes.ts"
import { TelegramSuspensions } from "#src/db/telegram/TelegramSuspensions.ts"
import { EffectiveSettings } from "#src/http/operators/EffectiveSettings.ts"
import { html } from "#src/http/server/page.ts"
import type { Console } from "../console.ts"
import { attentionFeed } from "../overview/attentionFeed.ts"
import { NO_NAMES } from "#src/http/operators/problemNames.ts"
import { backlogOf } from "./backlog.ts"
import { database } from "./database.ts"
import { holds } from "./holds.ts"
import { failedJobs, queues } from "./jobs.ts"
import { processes } from "./processes.ts"
import { settings } from "./settings.ts"

export const SYSTEM_PATH = "/console/system"
const MAX_JOBS = 50

/** The server itself: its processes, jobs, database, settings and holds. */
export const systemScreen = ({ screen }: Console): void =>
  screen({ path: SYSTEM_PATH, operationId: "showSystem", summary: "The screen of the server itself" }, (visit) =>
    Effect.gen(function* () {
      const { nowMs } = visit
      const [findings, running, backlog, waiting, stuck, held] = yield* Effect.all(
        [
          Health.use((health) => health.ofServer),
          Processes.use(({ list }) => list),
          Backlog.use(({ sample }) => sample),
          Jobs.use((jobs) => jobs.queues),
          Jobs.use((jobs) => jobs.list({ task: null, state: null, after: null, limit: MAX_JOBS })),
          TelegramSuspensions.use(({ list }) => list)
        ],
        { concurrency: 3 }
      )
      const all = yield* EffectiveSettings
      const problems = findings.problems.filter(({ subject }) => subject.app_id === undefined || subject.app_id === "*")
      return {
        section: SYSTEM_PATH,
        title: "System",
        live: html`${attentionFeed(problems, { nowMs, names: NO_NAMES, here: visit.path })}
          ${backlogOf(backlog)}
          ${processes(running, nowMs)}
          <div class="split">${queues(waiting, nowMs)} ${database(findings.evidence, nowMs)}</div>
          ${failedJobs(stuck, visit)} ${holds(held, visit)}`,
        body: settings(all)
      }
    })
  )
