import * as z from "zod"
import { relationshipScores } from "#src/http/conversation/sessionStateSchemas.ts"

const time = z.iso.datetime()
export const SnapshotData = z.object({
  id: z.string(),
  session_id: z.string(),
  turn_index: z.int(),
  summary: z.string().describe("Empty if it may have contained something that was forgotten since"),
  emotion: z.object({ label: z.string(), valence: z.number(), arousal: z.number(), updated_at: time }).nullable(),
  stage: z.string().nullable().describe("null until the app opts in"),
  highlights: z.array(z.string()).describe("Ids of the most important memories"),
  open_loop_ids: z.array(z.string()),
  scores: relationshipScores.nullable().describe("Scores at that time. null until the app opts in"),
  created_at: time
})
export const SnapshotPage = z.object({ snapshots: z.array(SnapshotData), next_cursor: z.string().nullable() })
