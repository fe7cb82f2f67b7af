import * as z from "zod"
import { ProblemData } from "./problemSchemas.ts"

const time = z.iso.datetime()

export const AppHealthData = z.object({
  status: z
    .enum(["ok", "degraded", "down"])
    .describe(
      "down: no worker runs turns, or the database accepts no writes. degraded: there are problems that are not " +
        "information, replies fail, or the app's Telegram bots are on hold"
    ),
  components: z.object({
    database: z.object({ status: z.literal("ok") }),
    queue: z.object({
      ready: z.int().describe("Sessions of the app with a turn that is due and not being processed"),
      oldest_age_seconds: z.number().describe("Age of the turn that has been due the longest"),
      failed: z.int().describe("Turns that failed within the last hour")
    }),
    llm: z.object({
      engine: z.enum(["live", "offline"]).describe("offline: offline-retrieval.v1, which does not use a model"),
      model: z.string(),
      last_ok_at: time.nullable().describe("Start time of the app's latest successful reply within the last hour"),
      error_rate_5m: z.number().nullable().describe("null: no replies in the last five minutes")
    }),
    images: z.object({
      engine: z.enum(["live", "offline"]).describe("offline: placeholder images with a label"),
      model: z.string(),
      storage: z.enum(["database", "folder", "s3"]),
      open: z.int().describe("Images of the app that are queued or being made"),
      failed: z.int().describe("Images that failed within the last hour"),
      last_ok_at: time.nullable().describe("When the latest image was made, within the last hour")
    }),
    delivery: z.object({
      backlog: z.int().describe("Session logs with events left to push"),
      failing_channels: z.int(),
      telegram_hold: z
        .object({ since: time, reason: z.string().nullable().describe("Reason given by the operator") })
        .nullable()
        .describe(
          "The operator has put the app's Telegram bots on hold: messages from " +
            "people are kept, and nothing is sent until the hold is released"
        )
    }),
    watchdog: z.object({
      last_run_at: time.nullable(),
      rescued_1h: z.int().describe("Turns of the app that were recovered after their worker had stopped")
    })
  }),
  problems: z.array(ProblemData).describe("What is wrong with the app's own things and with the server, worst first")
})
