/**
 * Samples, examples and memories are cut to these limits, so that a call stays within the plan that its
 * reservation was made for.
 */
export const SAMPLES_MAX_CHARS = 1_600
/** Example dialogues that every prompt has. Providers bill this part at a tenth of the price after the first turn. */
export const ANCHORS_MAX_CHARS = 7_000
/**
 * Example dialogues that answer the message. They and the memories are new in every prompt, so no provider has them in
 * its cache.
 */
export const EXAMPLES_MAX_CHARS = 450
/** Memories, if the message may ask for them. */
export const MEMORIES_MAX_CHARS = 900
/** Memories that only touch on a message that does not ask for them, or that others answer. */
export const SIDE_MEMORIES_MAX_CHARS = 300
/** The same if an example answers the message. */
export const FEWEST_MEMORIES_MAX_CHARS = 200
export const EVIDENCE_MAX_CHARS = 5_200
export const LOOPS_MAX_CHARS = 400
export const PEOPLE_MAX_CHARS = 1_200
export const TIES_MAX_CHARS = 800
export const INFLUENCES_MAX_CHARS = 1_000
/** The maximum length that authors may give a premise, a beat and its guidance. */
export const STORY_MAX_CHARS = 2_400
/** For the markup of the blocks themselves. */
export const FRAMES_MAX_CHARS = 600

/**
 * What the character's world and its sources may add to a prompt. Most turns use none of it, but every reservation has
 * room for all of it.
 */
export const AROUND_MAX_CHARS =
  PEOPLE_MAX_CHARS + 2 * TIES_MAX_CHARS + STORY_MAX_CHARS + INFLUENCES_MAX_CHARS + EVIDENCE_MAX_CHARS + FRAMES_MAX_CHARS
