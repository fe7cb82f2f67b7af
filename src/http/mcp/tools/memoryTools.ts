import * as z from "zod"
import { apiPath } from "../Api.ts"
import { idempotencyKey, mapData, name, READS, type Tool, tool } from "../tool.ts"

const Memory = z.object({
  id: z.string(),
  kind: z.string(),
  subject: z.string(),
  about: z.object({ name: z.string().nullable(), relation: z.string().nullable() }).nullable(),
  text: z.string(),
  importance: z.number(),
  pinned: z.boolean(),
  status: z.string(),
  valid_at: z.string()
})
type Memory = z.infer<typeof Memory>

const memoryOf = ({ id, kind, subject, about, text, importance, pinned, status, valid_at }: Memory) => ({
  id,
  kind,
  subject,
  about,
  text,
  importance,
  pinned,
  status,
  valid_at
})

const sessionId = name("Id of the session, ses_...")

const searchMemories = tool({
  name: "search_memories",
  title: "Search memories",
  description: "Search what the character remembers about the person of a session. The best match is first.",
  annotations: READS,
  input: z.object({
    session_id: sessionId,
    query: z.string().min(1).max(1000),
    limit: z.int().min(1).max(50).default(10)
  }),
  output: z.object({ memories: z.array(Memory) }),
  run: async ({ session_id, ...body }, { api, signal }) =>
    mapData(
      await api<{ memories: ReadonlyArray<Memory> }>({
        method: "POST",
        path: apiPath`/v1/sessions/${session_id}/memories/search`,
        body,
        signal
      }),
      ({ memories }) => ({ memories: memories.map(memoryOf) })
    )
})

const addMemory = tool({
  name: "add_memory",
  title: "Add a memory",
  description: "Let the character of a session remember something about the person, in one plain sentence.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  input: z.object({
    session_id: sessionId,
    text: z.string().min(1).max(500),
    importance: z.int().min(1).max(10).default(5),
    pinned: z.boolean().default(false).describe("Protects the memory from being dropped"),
    idempotency_key: idempotencyKey
  }),
  output: Memory,
  run: async ({ session_id, idempotency_key, ...body }, { api, signal }) =>
    mapData(
      await api<Memory>({
        method: "POST",
        path: apiPath`/v1/sessions/${session_id}/memories`,
        body,
        idempotencyKey: idempotency_key,
        signal
      }),
      memoryOf
    )
})

const forgetMemory = tool({
  name: "forget_memory",
  title: "Forget a memory",
  description: "Let the character of a session forget a memory. Its text is deleted and cannot be restored.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input: z.object({ session_id: sessionId, memory_id: name("Id of the memory, mem_...") }),
  output: z.object({ forgotten: z.literal(true), memory_id: z.string() }),
  run: async ({ session_id, memory_id }, { api, signal }) =>
    mapData(
      await api<object>({
        method: "DELETE",
        path: apiPath`/v1/sessions/${session_id}/memories/${memory_id}`,
        signal
      }),
      () => ({ forgotten: true as const, memory_id })
    )
})

export const memoryTools: ReadonlyArray<Tool> = [searchMemories, addMemory, forgetMemory]
