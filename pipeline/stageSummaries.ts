import type { Draft } from "./generation/Writer.ts"
import type { Grounding } from "./grounding/ground.ts"
import type { AnalyzedMessage } from "./grounding/analyzeMessage.ts"
import type { Retrieval } from "./retrieval/retrieve.ts"
import { memoryId } from "./retrieval/Transcript.ts"
import type { Emission } from "./emission/emit.ts"
import { DISCLOSED } from "./safety/judge.ts"
import type { StageSummary } from "./TurnTrace.ts"

/** What stages write about themselves in the trace. Never text written by a person or a model. */

const MAX_CITED = 20
/** Engines may cite anything. Our ids look like this. */
const ID = /^[\w-]{1,40}$/

export const summarizeRetrieval = ({
  failed,
  usage,
  loreCalls,
  retrieved: {
    recalled,
    memories,
    lore,
    evidence,
    world: { people, ties, beat, influences }
  }
}: Retrieval): StageSummary => {
  const arcIds = influences.flatMap(({ id }) => id ?? [])
  const used = {
    ...(recalled.length + memories.length > 0 && {
      memories: [...memories, ...recalled.map((said) => ({ id: memoryId(said), score: said.score }))].map(
        ({ id, score }) => ({ id, score: Math.round(score * 1000) / 1000 })
      )
    }),
    ...(lore.length > 0 && { lore_ids: lore.map(({ id }) => id) }),
    ...(Object.keys(loreCalls).length > 0 && { lore_calls: loreCalls }),
    ...(evidence.length > 0 && { evidence_ids: [...new Set(evidence.map(({ id }) => id))] }),
    ...(people.length > 0 && { npc_ids: people.map(({ id }) => id) }),
    ...(ties.length > 0 && { edge_ids: ties.map(({ id }) => id) }),
    ...(beat !== null && { storyline: { id: beat.storylineId, beat: beat.key } }),
    ...(arcIds.length > 0 && { arc_ids: arcIds })
  }
  return {
    usage,
    ...(failed && { status: "fallback" as const, errorCode: "recall_failed" }),
    ...(Object.keys(used).length > 0 && { detail: used })
  }
}

export const summarizeGrounding = ({
  grounding,
  usage,
  errorCode
}: AnalyzedMessage & { readonly grounding: Grounding }): StageSummary => ({
  status: errorCode === null ? "ok" : "fallback",
  decision: grounding.intent,
  usage,
  errorCode
})

export const summarizeGeneration = ({ reply, usage }: Draft, notes: ReadonlyArray<string>): StageSummary => {
  const cited = reply.cited_memory_ids.filter((id) => ID.test(id)).slice(0, MAX_CITED)
  const detail = { ...(cited.length > 0 && { cited_memory_ids: cited }), ...(notes.length > 0 && { notes }) }
  return { decision: reply.decision, usage, ...(Object.keys(detail).length > 0 && { detail }) }
}

export const summarizeEmission = ({ refusedBy }: Emission): StageSummary => ({
  decision: refusedBy === null ? "passed" : `refused:${refusedBy}`
})

/** A fallback line was sent instead of a reply. `disclosing`: it says that an AI answers. */
export const summarizeFallback = (disclosing: boolean): StageSummary => ({
  status: "fallback",
  decision: `fallback_line${disclosing ? DISCLOSED : ""}`
})
