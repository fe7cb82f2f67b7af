import { fitting } from "../chat.ts"
import { EVIDENCE_MAX_CHARS, EXAMPLES_MAX_CHARS, LOOPS_MAX_CHARS } from "./blockLimits.ts"
import type { OpenLoop } from "../relational/Relationship.ts"
import { summaryWithout } from "../relational/summary.ts"
import { BLOCK_RULES } from "./blockRules.ts"
import { filled, filledBlock } from "./filledBlock.ts"
import { isAnswered, memoriesOf } from "./memoriesOf.ts"
import { worldBlocks } from "./worldBlocks.ts"
import type { WriteRequest } from "./Writer.ts"

const FORGETS =
  "The person asks to have something forgotten. It is forgotten already. The reply confirms that in a few words and " +
  "repeats nothing of it."

/**
 * What waits to be taken up. A message that the character writes first is about what it names, and about nothing that
 * is not due. What the story tells already is only listed for its day.
 */
const loopsOf = ({ turn, retrieved, relationship }: WriteRequest): ReadonlyArray<OpenLoop> =>
  turn.proactive === undefined
    ? retrieved.loops.filter(({ text, due_at }) => due_at !== null || !relationship.summary.includes(text))
    : []

/** What retrieval found for the turn, and the state of the relationship. */
export const retrievedBlocks = (request: WriteRequest): ReadonlyArray<string> => {
  const { retrieved, relationship, grounding } = request
  const { asksAbout } = grounding
  const loops = loopsOf(request)
  const listed = fitting(
    loops.map(({ kind, owner, text, due_at }) => filled({ kind, owner, text, due_on: due_at?.slice(0, 10) })),
    LOOPS_MAX_CHARS
  )
  // What the author wrote answers no question that is only about what the person has told.
  const isOnlyTold = isAnswered(request) && asksAbout.includes("user_past") && !asksAbout.includes("character")
  const examples = isOnlyTold ? [] : fitting(retrieved.examples, EXAMPLES_MAX_CHARS)
  return [
    ...filledBlock("authored_answers", examples, BLOCK_RULES.answers),
    ...filledBlock(
      "lore",
      retrieved.lore.map(({ content }) => content)
    ),
    ...worldBlocks(retrieved.world),
    ...filledBlock(
      "evidence",
      fitting(
        retrieved.evidence.map(({ title, text, unverified }) => ({
          source: title,
          ...(unverified && { unverified }),
          says: text
        })),
        EVIDENCE_MAX_CHARS
      ),
      retrieved.evidence.some(({ unverified }) => unverified) ? BLOCK_RULES.evidence : undefined
    ),
    ...filledBlock(
      "relationship",
      filled({
        stage: relationship.stage,
        standing: relationship.standing,
        character_feels: relationship.feels,
        story_so_far: summaryWithout(relationship.summary, loops.slice(0, listed.length))
      })
    ),
    ...filledBlock("memories", memoriesOf(request, examples.length > 0)),
    ...(retrieved.forgets === true ? [FORGETS] : []),
    ...filledBlock("open_loops", listed, BLOCK_RULES.loops)
  ]
}
