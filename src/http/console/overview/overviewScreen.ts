import * as Effect from "effect/Effect"
import { Activity } from "#src/db/operators/Activity.ts"
import { Health } from "#src/db/operators/Health.ts"
import { SessionSearch } from "#src/db/operators/SessionSearch.ts"
import { NO_NAMES, namesOf } from "#src/http/operators/problemNames.ts"
import { html } from "#src/http/server/page.ts"
import type { Console } from "../console.ts"
import { attentionFeed } from "./attentionFeed.ts"
import { figuresSince, overviewFigures } from "./figures.ts"
import { verdictOf } from "./verdict.ts"

const DAY_MS = 86_400_000
const countCrises = (nowMs: number) => SessionSearch.use((sessions) => sessions.countCrises(new Date(nowMs - DAY_MS)))

/** The first screen: is everything all right, and if not, what to do. */
export const overviewScreen = ({ screen }: Console): void =>
  screen(
    { path: "/console", operationId: "showOverview", summary: "The first screen of the console" },
    ({ nowMs, path }) =>
      Effect.gen(function* () {
        const findings = yield* Health.use((health) => health.ofServer)
        const activity = yield* Activity
        // The verdict says so when the database does not answer; then there are no figures.
        const [rows, fleet, names, crises] = findings.evidence.database.reachable
          ? yield* Effect.all(
              [activity.since(figuresSince(nowMs)), activity.fleet, namesOf(findings.problems), countCrises(nowMs)],
              {
                concurrency: 2
              }
            )
          : [null, null, NO_NAMES, null]
        return {
          section: "/console",
          title: "Overview",
          live: html`${verdictOf(findings, fleet, crises)}
        ${attentionFeed(findings.problems, { nowMs, names, here: path })}
        ${rows === null ? null : overviewFigures(rows, nowMs)}`
        }
      })
  )
