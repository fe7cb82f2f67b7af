import { defineError } from "#src/http/server/catalogue.ts"

export const failedJobNotFound = defineError(
  404,
  "failed_job_not_found",
  "There is no failed job with this id: it is running, it will run by itself, or it is gone.",
  "List the failed jobs with GET /admin/jobs?state=failed."
)
