import { dataBlock, fitting } from "../chat.ts"
import { memoryId } from "../retrieval/Transcript.ts"
import { EVIDENCE_MAX_CHARS, EXAMPLES_MAX_CHARS, LOOPS_MAX_CHARS, MEMORIES_MAX_CHARS } from "./blockLimits.ts"
import { BLOCK_RULES } from "./blockRules.ts"
import { filledBlock } from "./filledBlock.ts"
import { memory, noted } from "./quotes.ts"
import { worldBlocks } from "./worldBlocks.ts"
import type { WriteRequest } from "./Writer.ts"

/** Recalled lines with a lower score, relative to the best of their search, are rarely relevant to the message. */
const RECALLED_FROM = 0.35

/** What retrieval found for the turn, and the state of the relationship. */
export const retrievedBlocks = ({ retrieved, grounding, relationship }: WriteRequest): ReadonlyArray<string> => {
  const relevant = new Set(grounding.relevantIds)
  const recalled = retrieved.recalled.filter((said) => said.score >= RECALLED_FROM || relevant.has(memoryId(said)))
  return [
    ...filledBlock("examples", fitting(retrieved.examples, EXAMPLES_MAX_CHARS)),
    ...filledBlock(
      "lore",
      retrieved.lore.map(({ content }) => content)
    ),
    ...worldBlocks(retrieved.world),
    ...filledBlock(
      "evidence",
      fitting(
        retrieved.evidence.map(({ title, text }) => ({ source: title, says: text })),
        EVIDENCE_MAX_CHARS
      )
    ),
    dataBlock("relationship", {
      stage: relationship.stage,
      standing: relationship.standing,
      character_feels: relationship.feels,
      story_so_far: relationship.summary
    }),
    ...filledBlock(
      "memories",
      fitting([...retrieved.memories.map(noted), ...recalled.map(memory)], MEMORIES_MAX_CHARS)
    ),
    ...filledBlock(
      "open_loops",
      fitting(
        retrieved.loops.map(({ kind, owner, text, due_at }) => ({
          kind,
          owner,
          text,
          due_on: due_at?.slice(0, 10) ?? null
        })),
        LOOPS_MAX_CHARS
      ),
      BLOCK_RULES.loops
    )
  ]
}
