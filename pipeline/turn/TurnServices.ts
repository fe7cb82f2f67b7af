import * as Effect from "effect/Effect"
import { Critic } from "../critic/Critic.ts"
import { Writer } from "../generation/Writer.ts"
import { Analyst } from "../grounding/Analyst.ts"
import { EvidenceStore } from "../retrieval/EvidenceStore.ts"
import { LoreRecord } from "../retrieval/LoreRecord.ts"
import { MemoryStore } from "../retrieval/MemoryStore.ts"
import { Recall } from "../retrieval/Recall.ts"
import { Similar } from "../retrieval/Similar.ts"
import { Transcript } from "../retrieval/Transcript.ts"
import { SafetyRecord } from "../safety/SafetyRecord.ts"
import { WorldStore } from "../world/WorldStore.ts"

/** The ports that the stages of a turn use. */
export const turnServices = Effect.gen(function* () {
  return {
    stores: {
      transcript: yield* Transcript,
      recall: yield* Recall,
      similar: yield* Similar,
      memoryStore: yield* MemoryStore,
      evidenceStore: yield* EvidenceStore,
      worldStore: yield* WorldStore,
      loreRecord: yield* LoreRecord
    },
    record: yield* SafetyRecord,
    analyst: yield* Analyst,
    writer: yield* Writer,
    critic: yield* Critic
  }
})
export type TurnServices = Effect.Success<typeof turnServices>
