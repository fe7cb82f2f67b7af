import { defineError } from "#src/http/server/catalogue.ts"

export const jobNotFailed = defineError(
  409,
  "job_not_failed",
  "There is no failed job with this id: it is running, it will run by itself, or it is gone.",
  "List the failed jobs with GET /admin/jobs?state=failed."
)
