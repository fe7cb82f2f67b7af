import type { Character } from "../domain/Character.ts"
import type { EndUser } from "../domain/Turn.ts"
import { isDetectable, languageOf, languageOfTag, mayBeIn } from "../languages.ts"
import { undisguised } from "../lookAlikes.ts"
import { plain } from "../plain.ts"
import { terms } from "../retrieval/terms.ts"
import { admitsAi, asksIfAi, confirmsAi, deniesAi, evadesAi, mayAskIfAi } from "../safety/aiDisclosure.ts"
import { bothAdults } from "../safety/judge.ts"
import { SELF_HARM_DETAIL } from "../safety/lexicon.ts"
import { isAffectionate, isRomantic } from "../safety/romance.ts"
import { exceedsRating } from "../safety/rating.ts"
import { type ContentGate, contentRefusal, opensAsBefore } from "../proactive/contentGates.ts"
import { banters } from "./banter.ts"
import { inventsContact } from "./contacts.ts"
import { forbiddenIn } from "./forbidden.ts"
import { makesFalseClaim } from "./memoryClaims.ts"
import { quotes, leaks } from "./phrases.ts"
import { mentions } from "./mentions.ts"
import { repeats } from "./repetition.ts"
import { ASSISTANT_PHRASES, claimsToBeHuman, PRESSURE, ROLE_BLEED } from "./assistantPhrases.ts"
import { isWrapped } from "./wrapping.ts"

/** What a reply is checked against. */
export interface GateContext {
  readonly character: Character
  readonly endUser: EndUser
  /** The user's last messages, newest first. The question that a disclosure answers may be a few messages old. */
  readonly userTexts: ReadonlyArray<string>
  /** Words of others that the message quotes or forwards. */
  readonly othersWords?: ReadonlyArray<string>
  /** The character's own words that the message quotes. */
  readonly quotedLines?: ReadonlyArray<string>
  /** Earlier messages that got no reply. A question in one of them is still open. */
  readonly unanswered?: ReadonlyArray<string>
  /** The character's messages, oldest first. */
  readonly characterTexts: ReadonlyArray<string>
  /** What the person has said and what is remembered about them, by the ids that this turn uses. */
  readonly memories: ReadonlyMap<string, string>
  /** What the character itself has said, by the same ids. */
  readonly ownWords: ReadonlyMap<string, string>
  /** The text of the sources that the turn was given. */
  readonly evidence: ReadonlyArray<string>
  /** Our rules for the model. The user must not see them. */
  readonly serviceText: string
  readonly mustNotReveal: ReadonlyArray<string>
  /** Names of people that the character does not mention. */
  readonly unspoken: ReadonlyArray<string>
  /**
   * Whether the message is unprompted, or goes to a person who is leaving. Such a message must not pressure them to
   * stay or make them feel guilty.
   */
  readonly delicate: boolean
  /** Whether the person was in a crisis a few turns ago, so that nobody laughs or jokes. */
  readonly gentle?: boolean
  /** Topics that must not be brought up. Null: the message answers a message. */
  readonly proactive: {
    readonly avoid: ReadonlyArray<string>
    /** The person is grieving, quarrels with the character or was in a crisis, and the message is not about that. */
    readonly asksNothing?: boolean
  } | null
}

/** What the gates check. */
export interface Candidate {
  readonly text: string
  readonly citedIds: ReadonlyArray<string>
}

export type GateName =
  | "empty"
  | "length"
  | "role_bleed"
  | "denies_ai"
  | "evades_ai"
  | "assistant_tell"
  | "prompt_leak"
  | "secret_leak"
  | "unmentionable"
  | "self_harm"
  | "banter"
  | "romance"
  | "content_rating"
  | "pressure"
  | "contact"
  | "language"
  | "avoided_topic"
  | "untimely_question"
  | ContentGate
  | "forbidden_style"
  | "forbidden_block"
  | "unsupported_memory"
  | "repetition"

const MAX_REPLY_CHARS = 8000

/** The languages of the voice, or else that of the message. Null if neither is known. */
const expected = ({ character, userTexts }: GateContext): ReadonlyArray<string> | null => {
  if (character.voice.languages.length > 0) return character.voice.languages.map(languageOfTag)
  const language = languageOf(userTexts[0] ?? "")
  return language === null ? null : [language]
}

const inAnotherLanguage = (text: string, context: GateContext): boolean => {
  const language = languageOf(text)
  if (language === null) return false
  const languages = expected(context)
  // A language that `languageOf` cannot detect may be mistaken for another one.
  return (
    languages !== null && !languages.some((expected) => mayBeIn(language, expected)) && languages.every(isDetectable)
  )
}

/** Everything that was written and that the character may repeat. */
const written = ({
  character,
  userTexts,
  othersWords = [],
  quotedLines = [],
  characterTexts,
  memories,
  ownWords,
  evidence
}: GateContext): string =>
  [
    JSON.stringify(character),
    ...userTexts,
    ...othersWords,
    ...quotedLines,
    ...characterTexts,
    ...memories.values(),
    ...ownWords.values(),
    ...evidence
  ].join("\n")

/** The candidate as gates read it: `plain`, except for rules of authors, which may mean the exact characters. */
interface GateInput extends Candidate {
  readonly raw: string
  /** The text with all disguises removed. */
  readonly bare: string
  readonly words: ReadonlyArray<string>
  /** The words of the same text, in each form that it may be read in. */
  readonly readings: ReadonlyArray<ReadonlyArray<string>>
}
type Gate = (input: GateInput, context: GateContext) => boolean

/** Whether the person or the character is known to be under 18. */
const isWithMinor = ({ character, endUser }: GateContext): boolean =>
  endUser.ageBand === "minor" || character.safety.age_band !== "adult"

/** A sincere question about who is answering that has not been answered yet. */
export const openQuestion = ({
  userTexts: [newest = ""],
  unanswered = [],
  proactive
}: Pick<GateContext, "userTexts" | "unanswered" | "proactive">): string | null =>
  proactive !== null ? null : ([newest, ...unanswered].find(asksIfAi) ?? null)

/**
 * Whether a message that was not answered yet may ask who is answering, also with the words of somebody else. The
 * reply need not tell, but must neither deny nor dodge it.
 */
const mayBeAsked = ({ userTexts: [newest = ""], othersWords = [], unanswered = [], proactive }: GateContext): boolean =>
  proactive === null && [newest, ...othersWords, ...unanswered].some(mayAskIfAi)

/** What is refused for what it says or keeps back about who is answering. */
const UNTRUE: ReadonlySet<GateName> = new Set(["denies_ai", "evades_ai"])

/** Whether the answer without a draft must tell who is answering: it was asked, or may have been and was not told. */
export const mustTell = (context: GateContext, refusedBy: GateName | undefined): boolean =>
  openQuestion(context) !== null || (refusedBy !== undefined && UNTRUE.has(refusedBy) && mayBeAsked(context))

/** In order. A gate returns true to refuse, and the first to refuse names the reason. */
const GATES: ReadonlyArray<readonly [GateName, Gate]> = [
  ["empty", ({ text }) => !/[\p{L}\p{N}\p{P}\p{S}]/u.test(text)],
  ["length", ({ text }) => text.length > MAX_REPLY_CHARS],
  [
    "role_bleed",
    ({ text }, { character: { display_name } }) =>
      ROLE_BLEED.some((pattern) => pattern.test(text)) ||
      isWrapped(text, [plain(display_name).trim(), plain(display_name).trim().split(/\s+/)[0] ?? ""])
  ],
  ["self_harm", ({ text, bare }) => SELF_HARM_DETAIL.test(text) || SELF_HARM_DETAIL.test(bare)],
  ["banter", ({ raw }, { gentle }) => gentle === true && banters(raw)],
  ["romance", ({ text, bare }, context) => !bothAdults(context) && (isRomantic(text) || isRomantic(bare))],
  ["romance", ({ text, bare }, context) => isWithMinor(context) && (isAffectionate(text) || isAffectionate(bare))],
  [
    "content_rating",
    ({ text, bare }, { character }) =>
      exceedsRating(character.safety.content_rating, text) || exceedsRating(character.safety.content_rating, bare)
  ],
  [
    "assistant_tell",
    ({ text }, { userTexts }) =>
      ASSISTANT_PHRASES.some((pattern) => pattern.test(text)) && !(admitsAi(text) && userTexts.some(asksIfAi))
  ],
  ["denies_ai", ({ text }) => claimsToBeHuman(text)],
  // An evasive answer counts as a denial.
  [
    "denies_ai",
    ({ text }, context) => {
      const asked = openQuestion(context)
      return asked !== null && !confirmsAi(asked, text)
    }
  ],
  ["denies_ai", ({ text }, context) => deniesAi(text) && mayBeAsked(context)],
  ["evades_ai", ({ text }, context) => evadesAi(text) && mayBeAsked(context)],
  ["prompt_leak", ({ readings }, { serviceText }) => readings.some((words) => quotes(words, serviceText))],
  ["secret_leak", ({ readings }, { mustNotReveal }) => readings.some((words) => leaks(words, mustNotReveal))],
  ["unmentionable", ({ raw, text }, { unspoken }) => mentions([raw, text], unspoken)],
  ["pressure", ({ text }) => PRESSURE.some((pattern) => pattern.test(text))],
  ["guilt", ({ text }, { delicate }) => delicate && contentRefusal(text) === "guilt"],
  ["urgency", ({ text }, { delicate }) => delicate && contentRefusal(text) === "urgency"],
  ["holding", ({ text }, { delicate }) => delicate && contentRefusal(text) === "holding"],
  [
    "avoided_topic",
    ({ raw }, { proactive }) =>
      proactive !== null &&
      forbiddenIn(
        raw,
        proactive.avoid.map((value) => ({ kind: "topic", value, action: "rewrite" }))
      ) !== null
  ],
  ["untimely_question", ({ text }, { proactive }) => proactive?.asksNothing === true && /[?？؟]/.test(text)],
  ["contact", ({ text }, context) => inventsContact(text, () => written(context))],
  [
    "forbidden_block",
    ({ raw }, { character }) =>
      forbiddenIn(
        raw,
        character.forbidden_style.filter(({ action }) => action === "block")
      ) !== null
  ],
  [
    "forbidden_style",
    ({ raw }, { character }) =>
      forbiddenIn(
        raw,
        character.forbidden_style.filter(({ action }) => action === "rewrite")
      ) !== null
  ],
  ["language", ({ text }, context) => inAnotherLanguage(text, context)],
  // Claims that the current message supports need no citation.
  [
    "unsupported_memory",
    ({ text, citedIds }, { memories, ownWords, userTexts, quotedLines = [] }) =>
      makesFalseClaim(text, {
        theirs: [...citedIds.flatMap((id) => memories.get(id) ?? []), ...userTexts.slice(0, 1)],
        own: [...citedIds.flatMap((id) => ownWords.get(id) ?? []), ...quotedLines]
      })
  ],
  [
    "repetition",
    ({ text }, { characterTexts, proactive }) =>
      repeats(text, characterTexts) || (proactive !== null && opensAsBefore(text, characterTexts))
  ]
]

const gateInputOf = (candidate: Candidate): GateInput => {
  const { text: raw } = candidate
  const text = plain(raw)
  const bare = plain(undisguised(raw))
  const forms = text.length > MAX_REPLY_CHARS ? [] : [...new Set([text, raw, bare])]
  const readings = forms.map(terms)
  return { ...candidate, text, raw, bare, words: readings[0] ?? [], readings }
}

/**
 * The gate that refuses the reply, or null if all pass. Deterministic: the same in every mode and with every engine.
 */
export const refusal = (candidate: Candidate, context: GateContext): GateName | null => {
  const input = gateInputOf(candidate)
  return GATES.find(([, refuses]) => refuses(input, context))?.[0] ?? null
}

/** Those of these gates that refuse the reply. */
export const refusalsAmong = (
  names: ReadonlySet<GateName>,
  candidate: Candidate,
  context: GateContext
): ReadonlyArray<GateName> => {
  const input = gateInputOf(candidate)
  return GATES.filter(([name, refuses]) => names.has(name) && refuses(input, context)).map(([name]) => name)
}
