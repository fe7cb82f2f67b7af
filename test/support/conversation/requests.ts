import { NEW_BEARING } from "#pipeline/relational/Relationship.ts"
import { describeRelationship } from "#pipeline/relational/describeRelationship.ts"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Character } from "#pipeline/domain/Character.ts"
import type { Turn } from "#pipeline/domain/Turn.ts"
import type { WriteRequest } from "#pipeline/generation/Writer.ts"
import type { Grounding } from "#pipeline/grounding/ground.ts"
import { knowledgeOf } from "#pipeline/knowledge/knowledgeOf.ts"
import { NOTHING_RETRIEVED } from "#pipeline/retrieval/Retrieved.ts"
import { SAFE } from "#pipeline/safety/judge.ts"

export const plainGrounding: Grounding = {
  addressee: null,
  localTime: "Monday 10:00",
  character: null,
  intent: "smalltalk",
  asksAbout: ["nothing"],
  relevantIds: [],
  contradictions: [],
  userEmotion: null
}

const ada = {
  slug: "ada",
  display_name: "Ada",
  visible_bio: "Repairs clocks in a harbour town.",
  persona: {
    summary: "Dry, patient, curious.",
    secrets: [
      { text: "She cannot swim.", reveal: "free" },
      { text: "She sold her mother's watch.", reveal: "never" }
    ]
  },
  voice: { max_bubbles: 2 },
  example_dialogues: [{ user: "busy?", character: "always. tell me anyway" }],
  world_context: { summary: "Rain most days.", scene: "The workshop." }
}

/** A write request for Ada, with the fields that a test overrides. */
export const requestOf = (
  text: string,
  given: {
    readonly character?: Record<string, unknown>
    readonly turn?: Partial<Turn>
    readonly request?: Partial<WriteRequest>
  } = {}
): WriteRequest => {
  const character = Schema.decodeUnknownSync(Character)({ ...ada, ...given.character })
  return {
    turn: {
      appId: "app_1",
      sessionId: "ses_1",
      turnIndex: 0,
      runRef: "run_1",
      replyMode: "fast",
      text,
      character,
      endUser: { externalUserRef: "user-1", displayName: "Ben", timezone: null, locale: null, ageBand: "unknown" },
      ...given.turn
    },
    history: [],
    retrieved: NOTHING_RETRIEVED,
    grounding: { ...plainGrounding, addressee: "Ben", localTime: "Saturday 21:40" },
    safety: SAFE,
    knowledge: knowledgeOf(character),
    relationship: describeRelationship(character, NEW_BEARING, 0),
    decisions: ["reply"],
    refusedBy: null,
    onSpent: () => Effect.void,
    ...given.request
  }
}
