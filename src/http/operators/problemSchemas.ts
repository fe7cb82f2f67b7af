import * as z from "zod"
import { PROBLEM_KINDS, SEVERITIES } from "#src/health/Problem.ts"

const time = z.iso.datetime()

export const ProblemData = z.object({
  kind: z.enum(PROBLEM_KINDS),
  severity: z
    .enum(SEVERITIES)
    .describe(
      "critical: people get no answers, or money is spent wrongly. warning: it works in part, or is about to fail. " +
        "info: somebody has stopped it on purpose"
    ),
  subject: z
    .object({
      app_id: z.string(),
      bot_id: z.string(),
      channel_id: z.string(),
      session_id: z.string(),
      worker_id: z.string(),
      task: z.string()
    })
    .partial()
    .describe("What it is about. Without app_id: the server as a whole"),
  since: time.nullable().describe("null: unknown"),
  count: z.int().describe("How many equal things this row stands for, such as failed attempts in a row"),
  reach: z
    .int()
    .nullable()
    .describe(
      "How many conversations it reaches, up to 1000. Of problems with the same severity, those that reach more come " +
        "first. null: everybody's. 0: nobody notices it"
    ),
  evidence: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .describe("The figures and times that show it"),
  cause: z.string().describe("What was observed, or the likely cause"),
  next_step: z.object({
    by: z.enum(["app", "operator"]).describe("Who can do it: a key of the app, or the operator of the server"),
    description: z.string(),
    method: z.enum(["GET", "POST", "PATCH", "PUT"]).nullable(),
    path: z.string().nullable(),
    command: z.string().nullable().describe("A command for the machine of the server")
  })
})
