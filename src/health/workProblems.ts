import type { JobEvidence, ModelEvidence, QueueEvidence } from "./Evidence.ts"
import { AFTER_MS, MODEL_FAILURE_RATE, MODEL_REPLIES } from "./limits.ts"
import { modelFailure } from "./modelFailures.ts"
import { type Figures, iso, operatorStep, type Problem } from "./Problem.ts"

const WORKERS = operatorStep(
  "GET",
  "/admin/workers",
  "See which workers are running and what they hold, and start more"
)

const ageMs = (at: Date | null, now: Date) => (at === null ? 0 : now.getTime() - at.getTime())
const seconds = (ms: number) => Math.round(ms / 1000)

/** Turns that wait for a worker. */
export const queueProblems = (queue: ReadonlyArray<QueueEvidence>, now: Date): ReadonlyArray<Problem> =>
  queue
    .filter(({ oldest_due_at }) => ageMs(oldest_due_at, now) > AFTER_MS.queueLag)
    .map(({ app_id, waiting, oldest_due_at }) => ({
      kind: "queue_lag",
      severity: ageMs(oldest_due_at, now) > AFTER_MS.queueStuck ? "critical" : "warning",
      subject: { app_id },
      since: iso(oldest_due_at),
      count: waiting,
      reach: waiting,
      evidence: { sessions_waiting: waiting, oldest_age_seconds: seconds(ageMs(oldest_due_at, now)) },
      cause: "More messages arrive than the workers answer, or the model is slow",
      next_step: WORKERS
    }))

const jobsStep = (task: string, description: string) => operatorStep("GET", `/admin/jobs?task=${task}`, description)

/** What is wrong with background jobs of one kind. */
export const jobProblems = (job: JobEvidence, now: Date): ReadonlyArray<Problem> => {
  const subject = { task: job.task }
  const problems: Array<Problem> = []
  if (job.failed > 0)
    problems.push({
      kind: "job_failed",
      severity: "warning",
      subject,
      since: iso(job.failed_at),
      count: job.failed,
      reach: 0,
      evidence: { failed: job.failed, last_error: job.last_error },
      cause: "The job failed at every attempt and is not tried again",
      next_step: jobsStep(job.task, "Read the error, then retry or remove the job")
    })
  if (ageMs(job.oldest_due_at, now) > AFTER_MS.jobLag && job.task !== "parked")
    problems.push({
      kind: "job_lag",
      severity: "warning",
      subject,
      since: iso(job.oldest_due_at),
      count: job.due,
      reach: 0,
      evidence: { due: job.due, oldest_age_seconds: seconds(ageMs(job.oldest_due_at, now)) },
      cause: "The workers are busy, or no worker knows this kind of job",
      next_step: WORKERS
    })
  if (job.task === "parked" && job.due > 0)
    problems.push({
      kind: "job_failed",
      severity: "warning",
      subject,
      since: iso(job.oldest_due_at),
      count: job.due,
      reach: 0,
      evidence: { failed: job.due, last_error: "its payload cannot be read" },
      cause: "A process of another version added a job that this version cannot read",
      next_step: jobsStep(job.task, "Read the payload, then remove the job")
    })
  if (ageMs(job.oldest_locked_at, now) > AFTER_MS.jobLocked)
    problems.push({
      kind: "job_locked",
      severity: "warning",
      subject,
      since: iso(job.oldest_locked_at),
      count: job.locked,
      reach: 0,
      evidence: { locked: job.locked, oldest_age_seconds: seconds(ageMs(job.oldest_locked_at, now)) },
      cause: "A worker has held the job for very long: it is stuck, or the work is large",
      next_step: WORKERS
    })
  return problems
}

const MINUTE_MS = 60_000

/**
 * The shortest time that has enough replies for a verdict: the last minute, or where people write less often, the time
 * since the last success, if that was more than a minute ago.
 */
const latest = (model: ModelEvidence, now: Date) => {
  const { replies_1m, failed_1m, failed_since_ok: failed, failing_since } = model
  if (replies_1m >= MODEL_REPLIES)
    return { replies: replies_1m, failed: failed_1m, reach: model.reach_1m, time: "the last minute" }
  const minutes = Math.max(2, Math.ceil(ageMs(failing_since, now) / MINUTE_MS))
  return failed >= MODEL_REPLIES && replies_1m === failed_1m
    ? { replies: failed, failed, reach: model.reach_since_ok, time: `the last ${minutes} minutes` }
    : { replies: model.replies_5m, failed: model.failed_5m, reach: model.reach_5m, time: "the last 5 minutes" }
}

/** Whether replies fail, with what was observed. If all do, for a reason that concerns everybody, nobody gets one. */
export const modelProblems = (model: ModelEvidence, condition: Figures, now: Date): ReadonlyArray<Problem> => {
  const { replies, failed, reach, time } = latest(model, now)
  if (failed === 0 || failed / replies < MODEL_FAILURE_RATE) return []
  const isLate = model.last_failure === "timeout" || model.last_error_code === "timed_out"
  const isLoading = condition["state"] === "loading" && isLate
  const failure = isLoading ? "loading" : model.last_failure
  const { observed, next_step, isOutage } = modelFailure(model.last_error_code, failure)
  const failsNow =
    failed === replies && replies >= MODEL_REPLIES && ageMs(model.last_failed_at, now) < AFTER_MS.modelQuiet
  const outOf = `${replies} ${replies === 1 ? "reply" : "replies"}`
  return [
    {
      kind: "model_failing",
      severity: failsNow ? "critical" : "warning",
      subject: {},
      since: iso(model.failing_since),
      count: failed,
      reach: failsNow && isOutage ? null : reach,
      evidence: {
        replies_1m: model.replies_1m,
        failed_1m: model.failed_1m,
        replies_5m: model.replies_5m,
        failed_5m: model.failed_5m,
        failed_since_ok: model.failed_since_ok,
        conversations: reach,
        last_ok_at: iso(model.last_ok_at),
        last_failed_at: iso(model.last_failed_at),
        last_error_code: model.last_error_code,
        last_failure: failure,
        last_said: model.last_said
      },
      cause: `${failsNow ? `0 of ${outOf}` : `${failed} of ${outOf} failed`} in ${time}: ${observed}`,
      next_step
    }
  ]
}
