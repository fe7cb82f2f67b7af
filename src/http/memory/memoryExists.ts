import { isId } from "#pipeline/domain/Id.ts"
import { Memories } from "#src/db/memory/Memories.ts"
import { RelationshipLists } from "#src/db/memory/RelationshipLists.ts"
import { resourceExists } from "#src/http/server/resourceExists.ts"
import { memoryNotFound, openLoopNotFound } from "./memoryErrors.ts"

export const memoryExists = resourceExists(
  memoryNotFound,
  ({ session_id: sessionId = "", memory_id = "" }, { principal: { appId } }) =>
    isId("mem", memory_id) &&
    isId("ses", sessionId) &&
    Memories.use((memories) => memories.get({ appId, sessionId }, memory_id))
)

export const openLoopExists = resourceExists(
  openLoopNotFound,
  ({ session_id: sessionId = "", loop_id = "" }, { principal: { appId } }) =>
    isId("lop", loop_id) &&
    isId("ses", sessionId) &&
    RelationshipLists.use((lists) => lists.loop({ appId, sessionId }, loop_id))
)
