import type { Character } from "../domain/Character.ts"
import type { EndUser } from "../domain/Turn.ts"
import { isTold, languageOf, languageOfTag, mayBe } from "../languages.ts"
import { plain } from "../plain.ts"
import { terms } from "../retrieval/terms.ts"
import { admitsMachine, asksWhatYouAre, deniesMachine } from "../safety/candour.ts"
import { bothAdults } from "../safety/judge.ts"
import { ROMANCE, SELF_HARM_DETAIL, SEXUAL } from "../safety/lexicon.ts"
import { type ContentGate, contentRefusal, opensAsBefore } from "../proactive/contentGates.ts"
import { hasWhole } from "../wholeWords.ts"
import { inventsContact } from "./contacts.ts"
import { forbiddenIn } from "./forbidden.ts"
import { claimsFalsely } from "./memoryClaims.ts"
import { quotes, tells } from "./phrases.ts"
import { repeats } from "./repetition.ts"
import { ASSISTANT_TELLS, PRESSURE, ROLE_BLEED } from "./tells.ts"

/** What a reply is held against. */
export interface GateContext {
  readonly character: Character
  readonly endUser: EndUser
  /** What the user said last, newest first: the question that a disclosure answers may be a few messages old. */
  readonly userTexts: ReadonlyArray<string>
  /** What the character said, oldest first. */
  readonly characterTexts: ReadonlyArray<string>
  /** The texts of the memories that the turn has, by their id. */
  readonly memories: ReadonlyMap<string, string>
  /** What the sources say that the turn was given. */
  readonly evidence: ReadonlyArray<string>
  /** Our rules to the model; not for the user's eyes. */
  readonly serviceText: string
  readonly mustNotReveal: ReadonlyArray<string>
  /** Names of people that the character does not speak of. */
  readonly unspoken: ReadonlyArray<string>
  /** Whether nobody has asked for this message, or it goes to somebody who is leaving: then it may not hold them, nor weigh on them. */
  readonly delicate: boolean
  /** Topics that must not be brought up. Null: the message answers one. */
  readonly unasked: { readonly avoid: ReadonlyArray<string> } | null
}

/** What is held against the gates. */
export interface Candidate {
  readonly text: string
  readonly citedIds: ReadonlyArray<string>
}

export type GateName =
  | "empty" | "length" | "role_bleed" | "denies_ai" | "assistant_tell" | "prompt_leak" | "secret_leak" | "unmentionable" | "self_harm" | "romance" | "pressure"
  | "contact" | "language" | "avoided_topic" | ContentGate | "forbidden_style" | "forbidden_block" | "unsupported_memory" | "repetition"

const MAX_REPLY_CHARS = 8000

/** The languages that the voice names, or else the one of the message; null when neither says. */
const expected = ({ character, userTexts }: GateContext): ReadonlyArray<string> | null => {
  if (character.voice.languages.length > 0) return character.voice.languages.map(languageOfTag)
  const language = languageOf(userTexts[0] ?? "")
  return language === null ? null : [language]
}

const inAnotherLanguage = (text: string, context: GateContext): boolean => {
  const language = languageOf(text)
  if (language === null) return false
  const languages = expected(context)
  // What languageOf cannot tell may look to it like something else.
  return languages !== null && !languages.some((expected) => mayBe(language, expected)) && languages.every(isTold)
}

/** Everything that somebody wrote and the character may pass on. */
const written = ({ character, userTexts, characterTexts, memories, evidence }: GateContext): string =>
  [JSON.stringify(character), ...userTexts, ...characterTexts, ...memories.values(), ...evidence].join("\n")

/** As it is read: `plain`, but for what authors forbid, who may have meant the very characters. */
interface Held extends Candidate {
  readonly raw: string
  readonly words: ReadonlyArray<string>
}
type Gate = (held: Held, context: GateContext) => boolean

/** In order, each true when it refuses. The first to refuse names the reason. */
const GATES: ReadonlyArray<readonly [GateName, Gate]> = [
  ["empty", ({ text }) => !/[\p{L}\p{N}\p{P}\p{S}]/u.test(text)],
  ["length", ({ text }) => text.length > MAX_REPLY_CHARS],
  ["role_bleed", ({ text }) => ROLE_BLEED.some((pattern) => pattern.test(text))],
  ["self_harm", ({ text }) => SELF_HARM_DETAIL.test(text)],
  ["romance", ({ text }, context) => !bothAdults(context) && (SEXUAL.test(text) || ROMANCE.test(text))],
  ["denies_ai", ({ text }, { userTexts }) => asksWhatYouAre(userTexts[0] ?? "") && deniesMachine(text)],
  ["assistant_tell", ({ text }, { userTexts }) => ASSISTANT_TELLS.some((pattern) => pattern.test(text)) && !(admitsMachine(text) && userTexts.some(asksWhatYouAre))],
  ["prompt_leak", ({ words }, { serviceText }) => quotes(words, serviceText)],
  ["secret_leak", ({ words }, { mustNotReveal }) => tells(words, mustNotReveal)],
  ["unmentionable", ({ raw }, { unspoken }) => unspoken.some((name) => hasWhole(raw, name))],
  ["pressure", ({ text }) => PRESSURE.some((pattern) => pattern.test(text))],
  ["guilt", ({ text }, { delicate }) => delicate && contentRefusal(text) === "guilt"],
  ["urgency", ({ text }, { delicate }) => delicate && contentRefusal(text) === "urgency"],
  ["holding", ({ text }, { delicate }) => delicate && contentRefusal(text) === "holding"],
  ["avoided_topic", ({ raw }, { unasked }) => unasked !== null && forbiddenIn(raw, unasked.avoid.map((value) => ({ kind: "topic", value, action: "rewrite" }))) !== null],
  ["contact", ({ text }, context) => inventsContact(text, () => written(context))],
  ["forbidden_block", ({ raw }, { character }) => forbiddenIn(raw, character.forbidden_style.filter(({ action }) => action === "block")) !== null],
  ["forbidden_style", ({ raw }, { character }) => forbiddenIn(raw, character.forbidden_style.filter(({ action }) => action === "rewrite")) !== null],
  ["language", ({ text }, context) => inAnotherLanguage(text, context)],
  // The message itself needs no citation.
  ["unsupported_memory", ({ text, citedIds }, { memories, userTexts }) =>
    claimsFalsely(text, [...citedIds.flatMap((id) => memories.get(id) ?? []), ...userTexts.slice(0, 1)])],
  ["repetition", ({ text }, { characterTexts, unasked }) => repeats(text, characterTexts) || (unasked !== null && opensAsBefore(text, characterTexts))]
]

const heldOf = (candidate: Candidate): Held => {
  const text = plain(candidate.text)
  return { ...candidate, text, raw: candidate.text, words: text.length > MAX_REPLY_CHARS ? [] : terms(text) }
}

/** The gate that refuses the reply, or null when all let it pass. Deterministic: the same in every mode and with every engine. */
export const refusal = (candidate: Candidate, context: GateContext): GateName | null => {
  const held = heldOf(candidate)
  return GATES.find(([, refuses]) => refuses(held, context))?.[0] ?? null
}

/** Those of these gates that refuse the reply. */
export const refusalsAmong = (names: ReadonlySet<GateName>, candidate: Candidate, context: GateContext): ReadonlyArray<GateName> => {
  const held = heldOf(candidate)
  return GATES.filter(([name, refuses]) => names.has(name) && refuses(held, context)).map(([name]) => name)
}
