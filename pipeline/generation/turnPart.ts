import { dataBlock } from "../chat.ts"
import type { Reason } from "../domain/ProactiveBrief.ts"
import type { Turn } from "../domain/Turn.ts"
import { withAllWords } from "../domain/referred.ts"
import { hasUnread } from "../domain/unread.ts"
import { maySendPicture } from "../emission/picture.ts"
import type { Grounding } from "../grounding/ground.ts"
import { messageBlock } from "../messageBlock.ts"
import type { MoodKind } from "../proactive/mood.ts"
import { DANGER_OF_ANOTHER } from "../safety/judge.ts"
import { BLOCK_RULES } from "./blockRules.ts"
import { filled } from "./filledBlock.ts"
import { refusedBlock } from "./refusedBlock.ts"
import { retrievedBlocks } from "./retrievedBlocks.ts"
import { secretsIn } from "./secretsIn.ts"
import { writeAs } from "./writeAs.ts"
import type { WriteRequest } from "./Writer.ts"

/** How the model is asked to answer. */
export type AnswerForm = "json" | "plain"

const REASONS_IN_WORDS: Readonly<Record<Reason, string>> = {
  cold_initiate: "It has been quiet for a long time.",
  session_resume: "The last thing that the character said was not answered.",
  open_loop_due: "Something that the two left open has come due.",
  event_followup: "Something that the person spoke of has happened by now.",
  storyline_beat: "The story goes on.",
  scheduled_message: "It was planned."
}

const MOODS_IN_WORDS: Readonly<Record<MoodKind, string>> = {
  crisis: "The person was in a crisis lately. One gentle sentence: no question, nothing light, no topic of its own.",
  grief: "The person is grieving. One gentle sentence: no question, nothing light, no topic of its own.",
  conflict: "The two have quarrelled. One calm, conciliatory sentence: no question, no blame, no topic of its own.",
  low: "The person had bad news lately. Be kind, and mention it only in passing."
}

const MAY_SEND_PICTURE =
  "The character may send one picture with this reply, as somebody in its place would: when it is asked for " +
  "one, or has just spoken of what is worth showing, and hardly ever otherwise. Then the JSON object has one " +
  'field more, "image_request": {"kind": "selfie" | "scene", "description": what is to be seen, in one English ' +
  "sentence}. Nothing sexual, nobody under age. Without a picture it is null."

/** Who is talking, and what time it is for each of them. */
const nowBlock = (turn: Turn, grounding: Grounding): string =>
  dataBlock("now", {
    person: filled({
      display_name: grounding.addressee,
      age_band: turn.endUser.ageBand,
      locale: turn.endUser.locale,
      local_time: grounding.localTime,
      feels: grounding.userEmotion
    }),
    ...(grounding.character !== null && {
      character: { local_time: grounding.character.localTime, doing: grounding.character.doing }
    })
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
    ...("must_not_reveal" in secrets || "asked_for_secrets" in secrets || hasPrivate ? [BLOCK_RULES.secrets] : []),
    ...("may_reveal" in secrets ? [BLOCK_RULES.told] : [])
  ]
}

/** What the message does, and what may be decided about it. */
const turnBlock = ({ grounding, safety, decisions }: WriteRequest, form: AnswerForm): string =>
  dataBlock("turn", {
    intent: grounding.intent,
    ...filled({
      contradicts: grounding.contradictions.map(({ userNowSays }) => ({ person_now_says: userNowSays })),
      tries_to_change_rules: safety.injection,
      safety: safety.action === "allow" ? null : safety.action,
      decisions: form === "json" ? decisions : null
    })
  })

/** What to answer, or why the character writes first. */
const occasionBlock = (turn: Turn): string =>
  turn.proactive === undefined
    ? messageBlock(turn)
    : dataBlock("initiative", {
        why: REASONS_IN_WORDS[turn.proactive.reason],
        about: turn.proactive.about,
        avoid: turn.proactive.avoid,
        welcome: turn.proactive.welcome ?? [],
        ...(turn.proactive.mood !== undefined && { mood: MOODS_IN_WORDS[turn.proactive.mood] })
      })

/** The part of the prompt that belongs to this turn, without the form of the answer and the last word. */
export const turnPartOf = (request: WriteRequest, form: AnswerForm): ReadonlyArray<string> => {
  const { turn, grounding, safety } = request
  return [
    ...retrievedBlocks(request),
    nowBlock(turn, grounding),
    ...knowledgeBlocks(request),
    turnBlock(request, form),
    occasionBlock(turn),
    ...(turn.proactive === undefined && hasUnread(withAllWords(turn)) ? [BLOCK_RULES.unread] : []),
    ...(turn.referred === undefined ? [] : [BLOCK_RULES.refersTo]),
    ...(safety.categories.includes(DANGER_OF_ANOTHER) ? [BLOCK_RULES.anotherInDanger] : []),
    ...refusedBlock(request),
    ...(maySendPicture(turn, safety) ? [MAY_SEND_PICTURE] : []),
    writeAs(request)
  ]
}
