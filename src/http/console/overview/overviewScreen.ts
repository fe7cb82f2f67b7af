import * as Effect from "effect/Effect"
import { Activity } from "#src/db/operators/Activity.ts"
import { Health } from "#src/db/operators/Health.ts"
import { html } from "#src/http/server/page.ts"
import type { Console } from "../console.ts"
import { attentionFeed } from "./attentionFeed.ts"
import { figuresSince, overviewFigures } from "./figures.ts"
import { verdictOf } from "./verdict.ts"

/** The first screen: is everything all right, and if not, what to do. */
export const overviewScreen = ({ screen }: Console): void =>
  screen({ path: "/console", operationId: "showOverview", summary: "The first screen of the console" }, ({ nowMs }) =>
    Effect.gen(function* () {
      const findings = yield* Health.use((health) => health.ofServer)
      const activity = yield* Activity
      // The verdict says so when the database does not answer; then there are no figures.
      const [rows, fleet] = findings.evidence.database.reachable
        ? yield* Effect.all([activity.since(figuresSince(nowMs)), activity.fleet], { concurrency: 2 })
        : [null, null]
      return {
        section: "/console",
        title: "Overview",
        live: html`${verdictOf(findings, fleet)} ${attentionFeed(findings.problems, nowMs)}
        ${rows === null ? null : overviewFigures(rows, nowMs)}`
      }
    })
  )
