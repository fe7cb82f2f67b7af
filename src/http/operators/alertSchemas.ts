import * as z from "zod"
import { ChannelTest } from "#src/http/delivery/channelSchemas.ts"
import { created, written } from "#src/http/server/schemas/answers.ts"
import { ProblemData } from "./problemSchemas.ts"

const time = z.iso.datetime()

export const AlertPage = z.object({
  alerts: z.array(
    z.object({
      alert_id: z.string(),
      kind: ProblemData.shape.kind,
      app_id: z.string().nullable().describe("null: the server as a whole"),
      severity: ProblemData.shape.severity,
      state: z.enum(["open", "resolved"]),
      since: time.nullable().describe("Since when the first problem lasts"),
      opened_at: time,
      resolved_at: time.nullable(),
      problems: z.int().describe("How many problems the last evaluation has found"),
      repeats: z.int().describe("How often it was sent again"),
      sent_at: time.describe("When it was sent last"),
      cause: z.string(),
      next_step: ProblemData.shape.next_step,
      examples: z.array(ProblemData)
    })
  ),
  next_cursor: z.string().nullable()
})

const channel = {
  channel_id: z.string(),
  url: z.string().describe("Masked"),
  status: z.enum(["active", "paused", "failing", "disabled"]),
  consecutive_failures: z.int(),
  created_at: time
}
export const AlertChannelData = z.object(channel)
export const AlertChannelResumed = AlertChannelData.extend(created)
export const AlertChannelPage = z.object({ channels: z.array(AlertChannelData) })
export const AlertChannelCreated = z.object({
  ...channel,
  secret: z.string().optional().describe("Alerts are signed with it. Shown once"),
  ...created
})
export const AlertChannelDeleted = z.object({ channel_id: z.string(), deleted: z.literal(true), ...written })
export const AlertChannelTested = ChannelTest.extend(written)
