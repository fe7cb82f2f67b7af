import * as Effect from "effect/Effect"
import { Health } from "#src/db/operators/Health.ts"
import { html } from "#src/http/server/page.ts"
import type { Console } from "../console.ts"
import { attentionFeed } from "./attentionFeed.ts"
import { verdict } from "./verdict.ts"

/** The first screen: is everything all right, and if not, what to do. */
export const overviewScreen = ({ screen }: Console): void =>
  screen({ path: "/console", operationId: "showOverview", summary: "The first screen of the console" }, ({ nowMs }) =>
    Effect.gen(function* () {
      const findings = yield* Health.use((health) => health.ofServer)
      return {
        section: "/console",
        title: "Overview",
        live: html`${verdict(findings)} ${attentionFeed(findings.problems, nowMs)}`
      }
    })
  )
