import type { Findings } from "#src/db/operators/Health.ts"
import { statusOf } from "#src/health/statusOf.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { counted } from "../figures.ts"
import { icon, type Tone } from "../icons.ts"

const sentence = (problems: Findings["problems"]): string => {
  const numbers = (["critical", "warning"] as const).map(
    (severity) => problems.filter((problem) => problem.severity === severity).length
  )
  const [critical = 0, warnings = 0] = numbers
  const parts = [
    ...(critical > 0 ? [counted(critical, "critical problem")] : []),
    ...(warnings > 0 ? [counted(warnings, "warning")] : [])
  ]
  return `There ${critical === 1 || (critical === 0 && warnings === 1) ? "is" : "are"} ${parts.join(" and ")}.`
}

/** The answer to "Is everything all right?". */
export const verdict = ({ evidence, problems }: Findings): Html => {
  const status = statusOf(problems)
  const stopped = problems.filter(({ severity }) => severity === "info").length
  const [tone, title, text]: readonly [Tone, string, string] =
    status === "ok"
      ? [
          "good",
          "Everything is all right",
          stopped === 0
            ? `${counted(evidence.workers.length, "worker")} running, nothing waits, nothing fails.`
            : `Nothing fails. ${counted(stopped, "thing is", "things are")} stopped on purpose.`
        ]
      : status === "down"
        ? ["bad", "Nobody gets an answer", sentence(problems)]
        : problems.some(({ severity }) => severity === "critical")
          ? ["bad", "Something is wrong", sentence(problems)]
          : ["warn", "It works, with problems", sentence(problems)]
  return html`<section class="card verdict ${tone}" aria-labelledby="verdict">
    ${icon(tone)}
    <h2 id="verdict">${title}</h2>
    <p class="soft">${text}${evidence.complete ? "" : " There are more problems than are shown."}</p>
  </section>`
}
