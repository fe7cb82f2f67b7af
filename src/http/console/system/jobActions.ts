import * as Effect from "effect/Effect"
import { Jobs } from "#src/db/operators/Jobs.ts"
import { failedJobNotFound } from "#src/http/operators/jobErrors.ts"
import { html } from "#src/http/server/page.ts"
import { type Console, done } from "../console.ts"
import { post } from "../form.ts"
import { SYSTEM_PATH } from "./systemScreen.ts"

const JOB = /^[1-9]\d{0,17}$/
const jobOf = (params: Readonly<Record<string, string>>) => {
  const id = params["job_id"] ?? ""
  return JOB.test(id) ? Effect.succeed(id) : Effect.fail(failedJobNotFound)
}

/** What the buttons of a failed job do. */
export const jobActions = ({ screen, action }: Console): void => {
  const path = `${SYSTEM_PATH}/jobs/:job_id`
  const change = (how: "retry" | "remove", operationId: string, summary: string, text: string) =>
    action(
      { path: `${path}/${how}`, operationId, summary },
      ({ params }) =>
        Effect.gen(function* () {
          const id = yield* jobOf(params)
          if (!(yield* Jobs.use((jobs) => jobs[how](id)))) return yield* failedJobNotFound
          return done(SYSTEM_PATH, text)
        }),
      () => SYSTEM_PATH
    )
  change("retry", "retryJobInConsole", "Retry a failed job", "The job runs again now.")
  change("remove", "removeJobInConsole", "Remove a failed job", "The job is removed.")

  screen(
    {
      path: `${path}/remove`,
      role: "operator",
      operationId: "confirmRemoveJob",
      summary: "Ask before a job is removed"
    },
    ({ csrf, params }) =>
      Effect.map(jobOf(params), (id) => ({
        section: SYSTEM_PATH,
        above: { url: SYSTEM_PATH, name: "System" },
        title: `Remove job ${id}?`,
        body: html`<section class="card">
          <p>This deletes one failed job. Its work is not done, unless a later job does it.</p>
          <div class="row">
            ${post({ action: `${SYSTEM_PATH}/jobs/${id}/remove`, csrf, label: "Remove the job", tone: "danger first" })}
            <a class="button" href="${SYSTEM_PATH}">Keep it</a>
          </div>
        </section>`
      }))
  )
}
