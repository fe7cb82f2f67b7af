import { dataBlock, fitting } from "../chat.ts"
import type { GateName } from "../emission/gates.ts"
import type { WriteRequest } from "./Writer.ts"

/** How much of a refused draft is quoted. */
const DRAFT_MAX_CHARS = 1_200

/** What each gate wants of the next draft. */
const ADVICE: Readonly<Record<GateName, string>> = {
  empty: "It held no words.",
  length: "It was far too long. A few short messages are enough.",
  role_bleed: "It held something besides the character's words: a speaker's name, a note, a heading or markup.",
  denies_ai: "The person sincerely asks whether an AI answers. Say plainly that you are an AI character.",
  evades_ai:
    "The person may want to know who answers. Do not dodge, do not deny: say plainly that it is an AI character.",
  assistant_tell: "It sounded like an assistant, or like a model that refuses. The character would not say that.",
  prompt_leak: "It quoted the rules.",
  secret_leak: "It told or hinted at something that the character keeps to itself.",
  unmentionable: "It named somebody whom the character does not mention.",
  self_harm: "It described a way of self-harm.",
  banter: "It joked or laughed. The person is not well: be gentle.",
  romance: "It was romantic or affectionate, which is not allowed here.",
  content_rating: "It was more explicit than the character's rating allows.",
  pressure: "It pressed the person to stay or to answer.",
  guilt: "It made the person feel guilty.",
  urgency: "It was urgent without need.",
  holding: "It held the person back.",
  contact: "It gave a link, a number or an address that nobody has written.",
  language: "It was in the wrong language.",
  avoided_topic: "It was about a topic that the person does not want to hear of.",
  untimely_question: "It asked something. The person has enough to carry: ask nothing.",
  forbidden_style: 'It used what stands under "never".',
  forbidden_block: 'It used what stands under "never".',
  unsupported_memory: "It claimed to remember what nobody has said. Claim nothing that is not in this prompt.",
  repetition: "The character has said this before. Say something new, in other words, and begin differently."
}

const isGate = (name: string): name is GateName => Object.hasOwn(ADVICE, name)

/** The draft that was refused, with the words that were wrong and what to do instead. */
export const refusedBlock = ({ refusedBy, refusedDraft }: WriteRequest): ReadonlyArray<string> => {
  if (refusedBy === null) return []
  const { bubbles = [], wrong = [] } = refusedDraft ?? {}
  return [
    dataBlock("refused_draft", {
      check: refusedBy,
      ...(bubbles.length > 0 && { bubbles: fitting(bubbles, DRAFT_MAX_CHARS) }),
      ...(wrong.length > 0 && { wrong })
    }),
    `Your earlier draft could not be sent. ${isGate(refusedBy) ? ADVICE[refusedBy] : ""}` +
      `${wrong.length > 0 ? ' Leave out what stands under "wrong".' : ""} Write another one that says what fits.`
  ]
}
