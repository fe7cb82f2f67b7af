import * as z from "zod"
import { acrossFields } from "#src/http/server/schemas/acrossFields.ts"
import { moment } from "#src/http/server/schemas/moment.ts"
import { text } from "#src/http/server/schemas/text.ts"

const time = z.iso.datetime()

export const ScheduleCreate = z
  .object({
    at: moment.meta({
      description: "The earliest time to send the message, at most 366 days ahead",
      examples: ["2027-01-31T09:00:00Z"]
    }),
    until: moment.optional().meta({
      description:
        "The latest time, at most 7 days after `at`. Default: 24 hours after " +
        "`at`. The message expires if the gates prevent it until then"
    }),
    text: text(1, 2000)
      .optional()
      .meta({ description: "The text to send, one bubble per paragraph. `{{user}}` and `{{char}}` are replaced" }),
    topic: text(1, 300).optional().meta({ description: "What the character writes about, in its own words" })
  })
  .superRefine(({ text, topic }, context) => {
    const given = [text, topic].filter((value) => value !== undefined).length
    if (given === 1) return
    const message = given === 0 ? "Give text or topic" : "Give either text or topic, not both"
    context.addIssue({ code: "custom", path: ["text"], message })
  }, acrossFields)
  .meta({ oneOf: [{ required: ["text"] }, { required: ["topic"] }] })

export const ScheduledData = z.object({
  id: z.string(),
  session_id: z.string(),
  at: time,
  until: time,
  text: z.string().nullable(),
  topic: z.string().nullable(),
  status: z.enum(["scheduled", "sending", "sent", "skipped", "expired", "cancelled"]),
  skipped_by: z
    .string()
    .nullable()
    .describe(
      "scheduled: the gate that prevents sending now. null before its time, or when it is about " +
        "to be sent. skipped: why it was not sent: a gate, or the outcome of its turn"
    ),
  run_ref: z.string().nullable().describe("The run that sends the message"),
  created_at: time
})
export const ScheduledPage = z.object({ scheduled: z.array(ScheduledData), next_cursor: z.string().nullable() })
