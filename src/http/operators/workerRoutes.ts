import * as Effect from "effect/Effect"
import * as z from "zod"
import { Processes } from "#src/db/operators/Processes.ts"
import { success } from "#src/http/server/envelope.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"

const time = z.iso.datetime()

export const WorkersData = z.object({
  processes: z.array(
    z.object({
      process_id: z.string(),
      worker_id: z.string().nullable().describe("null: a process that does not run turns"),
      version: z.string(),
      roles: z.array(z.string()),
      host: z.string(),
      pid: z.int(),
      started_at: time,
      last_heartbeat_at: time.describe("Every process sends one every five seconds"),
      holds: z.object({ turns: z.int(), lanes: z.int(), telegram_updates: z.int(), jobs: z.int() })
    })
  )
})

export const workerRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/admin/workers",
    {
      config: { auth: { operator: "viewer" } },
      schema: {
        operationId: "listProcesses",
        summary: "List the running processes, oldest first, and what each is working on",
        response: answers(WorkersData)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.map(
          Processes.use((processes) => processes.list),
          (rows) =>
            success({
              processes: rows.map(({ turns, lanes, updates, jobs, started_at, heartbeat_at, ...process }) => ({
                process_id: process.process_id,
                worker_id: process.worker_id,
                version: process.version,
                roles: process.roles,
                host: process.host,
                pid: process.pid,
                started_at: started_at.toISOString(),
                last_heartbeat_at: heartbeat_at.toISOString(),
                holds: { turns, lanes, telegram_updates: updates, jobs }
              }))
            })
        )
      )
  )
}
