import * as z from "zod"
import { LoopKind, LoopOwner, LoopStatus } from "#pipeline/relational/Relationship.ts"
import { moment } from "#src/http/server/schemas/moment.ts"

export const loopStatus = z.enum(LoopStatus.literals)

export const OpenLoopPatch = z
  .object({
    status: loopStatus.optional(),
    due_at: moment.nullable().optional().meta({ description: "null: no due date" })
  })
  .meta({ description: "Omitted fields stay unchanged" })

const time = z.iso.datetime()
export const OpenLoopData = z.object({
  id: z.string(),
  session_id: z.string(),
  kind: z.enum(LoopKind.literals),
  owner: z.enum(LoopOwner.literals).describe("Who should return to it"),
  text: z.string(),
  due_at: time.nullable(),
  priority: z.int().describe("1 to 5. 5 is the most urgent"),
  status: loopStatus,
  evidence: z.array(z.object({ cursor: z.int(), quote: z.string() })),
  created_at: time,
  updated_at: time
})
export const OpenLoopPage = z.object({ open_loops: z.array(OpenLoopData), next_cursor: z.string().nullable() })
