import type { Findings } from "#src/db/operators/Health.ts"
import { statusOf } from "#src/health/statusOf.ts"
import { type FleetCounts, verdict } from "#src/health/verdict.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { counted } from "../figures.ts"
import { icon, type Tone } from "../icons.ts"

const numbers = (problems: Findings["problems"]): string => {
  const names = { critical: "critical problem", warning: "warning", info: "thing stopped on purpose" } as const
  const many = { critical: "critical problems", warning: "warnings", info: "things stopped on purpose" } as const
  const parts = (["critical", "warning", "info"] as const).flatMap((severity) => {
    const found = problems.filter((problem) => problem.severity === severity).length
    return found === 0 ? [] : [counted(found, names[severity], many[severity])]
  })
  return parts.length === 0 ? "Nothing waits, and nothing fails." : `${parts.join(", ")}.`
}

/** Conversations of the last day in which somebody was in danger. */
const danger = (crises: number): Html =>
  crises === 0
    ? html`<p class="soft">Nobody was in danger in the last day.</p>`
    : html`<p>
        <a href="/console/conversations?crisis=86400">Somebody was in danger in ${counted(crises, "conversation")}</a>
        in the last day.
      </p>`

/** The answer to "Is everything all right?". */
export const verdictOf = ({ evidence, problems }: Findings, fleet: FleetCounts | null, crises: number | null): Html => {
  const status = statusOf(problems)
  const isCritical = status === "down" || problems.some(({ severity }) => severity === "critical")
  const tone: Tone = status === "ok" ? "good" : isCritical ? "bad" : "warn"
  return html`<section class="card verdict ${tone}" aria-labelledby="verdict">
    ${icon(tone)}
    <h2 id="verdict">${verdict(problems, fleet)}</h2>
    <p class="soft">
      ${numbers(problems)}
      ${
        fleet === null
          ? null
          : `${counted(fleet.apps, "app")}, ${counted(fleet.bots, "bot")}, ${counted(fleet.webhooks, "webhook")}.`
      }
      ${evidence.complete ? null : "There are more problems than are shown."}
    </p>
    ${crises === null ? null : danger(crises)}
  </section>`
}
