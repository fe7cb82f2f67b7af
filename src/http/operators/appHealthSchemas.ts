import * as z from "zod"

const time = z.iso.datetime()

export const AppHealthData = z.object({
  status: z
    .enum(["ok", "degraded", "down"])
    .describe(
      "down: nobody is there to run turns. degraded: turns wait, replies go wrong, a channel fails or the app's " +
        "Telegram bots are held back"
    ),
  components: z.object({
    database: z.object({ status: z.literal("ok") }),
    queue: z.object({
      ready: z.int().describe("Sessions of the app in which a turn is due and nobody is at work"),
      oldest_age_seconds: z.number().describe("How long the one that is overdue longest has been due"),
      failed: z.int().describe("Turns of the last hour that failed")
    }),
    llm: z.object({
      engine: z.enum(["live", "offline"]).describe("offline: offline-retrieval.v1, which is no model"),
      model: z.string(),
      last_ok_at: time
        .nullable()
        .describe("When a reply of the app was last begun that went well, within the last hour"),
      error_rate_5m: z.number().nullable().describe("null: nothing was written in the last five minutes")
    }),
    images: z.object({
      engine: z.enum(["live", "offline"]).describe("offline: labelled placeholders"),
      model: z.string(),
      storage: z.enum(["database", "folder", "s3"]),
      open: z.int().describe("Pictures of the app that wait or are being made"),
      failed: z.int().describe("Pictures of the last hour that failed"),
      last_ok_at: time.nullable().describe("When one was last made, within the last hour")
    }),
    delivery: z.object({
      backlog: z.int().describe("Logs of sessions that have something left to be pushed"),
      failing_channels: z.int(),
      telegram_hold: z
        .object({ since: time, reason: z.string().nullable().describe("In the words of whoever did it") })
        .nullable()
        .describe(
          "Whoever runs this server holds the app's Telegram bots back: what people write is kept and nothing " +
            "is sent, until they are released"
        )
    }),
    watchdog: z.object({
      last_run_at: time.nullable(),
      rescued_1h: z.int().describe("Turns of the app that survived the death of their worker")
    })
  })
})
