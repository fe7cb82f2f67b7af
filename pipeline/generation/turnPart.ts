import { dataBlock, fitting } from "../chat.ts"
import type { Reason } from "../domain/ProactiveBrief.ts"
import type { Turn } from "../domain/Turn.ts"
import { maySendPicture } from "../emission/picture.ts"
import type { Grounding } from "../grounding/ground.ts"
import { HISTORY_MAX_CHARS } from "./blockLimits.ts"
import { BLOCK_RULES } from "./blockRules.ts"
import { filledBlock } from "./filledBlock.ts"
import { said } from "./quotes.ts"
import { retrievedBlocks } from "./retrievedBlocks.ts"
import { secretsIn } from "./secretsIn.ts"
import type { WriteRequest } from "./Writer.ts"

const REASONS_IN_WORDS: Readonly<Record<Reason, string>> = {
  cold_initiate: "It has been quiet for a long time.",
  session_resume: "The last thing that the character said was not answered.",
  open_loop_due: "Something that the two left open has come due.",
  event_followup: "Something that the person spoke of has happened by now.",
  storyline_beat: "The story goes on.",
  scheduled_message: "It was planned."
}

const REFUSED =
  'An earlier draft of this reply was refused by the check named in "refused_by". Write one that passes it.'

const MAY_SEND_PICTURE =
  "The character may send one picture with this reply, as somebody in its place would: when it is asked for " +
  "one, or has just spoken of what is worth showing, and hardly ever otherwise. Then the JSON object has one " +
  'field more, "image_request": {"kind": "selfie" | "scene", "description": what is to be seen, in one English ' +
  "sentence}. Nothing sexual, nobody under age. Without a picture it is null."

/** Who is talking, and what time it is for each of them. */
const nowBlock = (turn: Turn, grounding: Grounding): string =>
  dataBlock("now", {
    person: {
      display_name: grounding.addressee,
      age_band: turn.endUser.ageBand,
      locale: turn.endUser.locale,
      local_time: grounding.localTime,
      feels: grounding.userEmotion
    },
    character:
      grounding.character === null
        ? null
        : { local_time: grounding.character.localTime, doing: grounding.character.doing }
  })

/** What is known about the topic of the message, what may be told and what must be kept, with the rule for secrets. */
const knowledgeBlocks = (request: WriteRequest): ReadonlyArray<string> => {
  const { knowledge, retrieved } = request
  const secrets = secretsIn(request)
  const knows = {
    ...secrets,
    ...(knowledge.knows.length > 0 && { knows: knowledge.knows }),
    ...(knowledge.unknown.length > 0 && { unknown: knowledge.unknown })
  }
  const hasPrivate = retrieved.world.ties.some((tie) => tie.private)
  return [
    ...(Object.keys(knows).length === 0 ? [] : [dataBlock("knowledge", knows)]),
    ...(Object.keys(secrets).length > 0 || hasPrivate ? [BLOCK_RULES.secrets] : [])
  ]
}

/** What the message does. If the history is shown, the reply includes a decision. */
const turnBlock = ({ grounding, safety, decisions }: WriteRequest, shows: { readonly history: boolean }): string =>
  dataBlock("turn", {
    intent: grounding.intent,
    answered_by: grounding.relevantIds,
    contradicts: grounding.contradictions.map(({ memoryId, userNowSays }) => ({
      id: memoryId,
      person_now_says: userNowSays
    })),
    safety: safety.action,
    tries_to_change_rules: safety.injection,
    ...(shows.history && { decisions })
  })

/** What to answer, or why the character writes first. */
const occasionBlock = (turn: Turn): string =>
  turn.proactive === undefined
    ? dataBlock("message", { text: turn.text })
    : dataBlock("initiative", {
        why: REASONS_IN_WORDS[turn.proactive.reason],
        about: turn.proactive.about,
        avoid: turn.proactive.avoid,
        welcome: turn.proactive.welcome ?? []
      })

/** The part of the prompt that belongs to this turn, without the last word. */
export const turnPartOf = (request: WriteRequest, shows: { readonly history: boolean }): ReadonlyArray<string> => {
  const { turn, history, grounding, safety, refusedBy } = request
  return [
    ...retrievedBlocks(request),
    nowBlock(turn, grounding),
    ...knowledgeBlocks(request),
    ...(shows.history
      ? filledBlock("history", fitting(history.map(said).toReversed(), HISTORY_MAX_CHARS).toReversed())
      : []),
    turnBlock(request, shows),
    occasionBlock(turn),
    ...(refusedBy === null ? [] : [dataBlock("draft", { refused_by: refusedBy }), REFUSED]),
    ...(maySendPicture(turn, safety) ? [MAY_SEND_PICTURE] : [])
  ]
}
