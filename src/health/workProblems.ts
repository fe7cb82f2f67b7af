import type { JobEvidence, ModelEvidence, QueueEvidence } from "./Evidence.ts"
import { AFTER_MS, MODEL_ATTEMPTS, MODEL_FAILURE_RATE } from "./limits.ts"
import { commandStep, iso, operatorStep, type Problem } from "./Problem.ts"

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
      evidence: { locked: job.locked, oldest_age_seconds: seconds(ageMs(job.oldest_locked_at, now)) },
      cause: "A worker has held the job for very long: it is stuck, or the work is large",
      next_step: WORKERS
    })
  return problems
}

/** Whether replies fail. */
export const modelProblems = (model: ModelEvidence): ReadonlyArray<Problem> => {
  const { attempts, failures, last_ok_at, failing_since, last_error_code } = model
  if (attempts < MODEL_ATTEMPTS || failures / attempts < MODEL_FAILURE_RATE) return []
  return [
    {
      kind: "model_failing",
      severity: failures === attempts ? "critical" : "warning",
      subject: {},
      since: iso(failing_since),
      count: failures,
      evidence: {
        attempts,
        failures,
        error_rate: Math.round((failures / attempts) * 1000) / 1000,
        last_ok_at: iso(last_ok_at),
        last_error_code
      },
      cause: "The model's provider is down, refuses the key or its quota is used up, or it refuses what it is asked",
      next_step: commandStep("Check the provider's status, OPENAI_API_KEY and its quota, and OPENAI_BASE_URL")
    }
  ]
}
