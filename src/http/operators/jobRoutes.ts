import * as Effect from "effect/Effect"
import * as z from "zod"
import { Jobs } from "#src/db/operators/Jobs.ts"
import { iso } from "#src/health/Problem.ts"
import { success } from "#src/http/server/envelope.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { page, listQuery, placeCursorKey } from "#src/http/server/listing.ts"
import { answers, created } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { failedJobNotFound } from "./jobErrors.ts"

const time = z.iso.datetime()

export const JobsData = z.object({
  queues: z.array(
    z.object({
      task: z.string(),
      due: z.int().describe("Due and not started"),
      oldest_due_at: time.nullable(),
      scheduled: z.int().describe("Not due yet"),
      locked: z.int().describe("Being done"),
      failed: z.int()
    })
  ),
  jobs: z
    .array(
      z.object({
        job_id: z.string(),
        task: z.string(),
        state: z.enum(["failed", "locked"]),
        attempts: z.int(),
        max_attempts: z.int(),
        created_at: time,
        run_at: time,
        locked_at: time.nullable(),
        last_error: z.string().nullable().describe("At most 1000 characters")
      })
    )
    .describe("Jobs that have used up their attempts, or that a worker holds"),
  next_cursor: z.string().nullable()
})

const JOB_ID = /^[1-9]\d{0,17}$/
const params = z.object({ job_id: z.string() })
const headers = z.object({ "idempotency-key": z.string().optional() })
export const JobChangedData = z.object({ job_id: z.string(), ...created })

export const jobRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/admin/jobs",
    {
      config: { auth: { operator: "viewer" } },
      schema: {
        operationId: "listJobs",
        summary: "List the queues of background jobs, and the jobs that failed or are held",
        querystring: z.object({
          ...listQuery,
          task: z.string().max(100).optional(),
          state: z.enum(["failed", "locked"]).optional()
        }),
        response: answers(JobsData)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { cursor, limit, task = null, state = null } = request.query
          const after = yield* placeCursorKey(cursor, (key) => JOB_ID.test(key))
          const jobs = yield* Jobs
          const queues = yield* jobs.queues
          const rows = yield* jobs.list({ task, state, after, limit: limit + 1 })
          const { items, next_cursor } = page(rows, limit, (row) => row.job_id)
          return success({
            queues: queues.map(({ task, due, oldest_due_at, scheduled, locked, failed }) => ({
              task,
              due,
              oldest_due_at: iso(oldest_due_at),
              scheduled,
              locked,
              failed
            })),
            jobs: items.map((job) => ({
              job_id: job.job_id,
              task: job.task,
              state: job.state,
              attempts: job.attempts,
              max_attempts: job.max_attempts,
              created_at: job.created_at.toISOString(),
              run_at: job.run_at.toISOString(),
              locked_at: iso(job.locked_at),
              last_error: job.last_error
            })),
            next_cursor
          })
        })
      )
  )

  for (const [action, operationId, summary] of [
    ["retry", "retryJob", "Run a failed job again, now"],
    ["remove", "removeJob", "Remove a failed job"]
  ] as const)
    app.post(
      `/admin/jobs/:job_id/${action}`,
      {
        config: { auth: { operator: "operator" }, writes: true },
        schema: { operationId, summary, params, headers, response: answers(JobChangedData, "failed_job_not_found") }
      },
      (request, reply) =>
        answer(
          request,
          reply,
          createOnce(
            request,
            Effect.gen(function* () {
              const { job_id } = request.params
              const isDone = JOB_ID.test(job_id) && (yield* Jobs.use((jobs) => jobs[action](job_id)))
              return isDone ? success({ job_id }) : yield* failedJobNotFound
            })
          )
        )
    )
}
