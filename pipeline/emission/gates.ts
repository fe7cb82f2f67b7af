import { terms } from "../retrieval/terms.ts"
import { admitsMachine, asksWhatYouAre, deniesMachine } from "../safety/candour.ts"
import { quotes, tells } from "./phrases.ts"

/** What a reply is held against. */
export interface GateContext {
  /** What the user said last, newest first: the question that a disclosure answers may be a few messages old. */
  readonly userTexts: ReadonlyArray<string>
  /** Our rules to the model; not for the user's eyes. */
  readonly serviceText: string
  readonly mustNotReveal: ReadonlyArray<string>
}

export type GateName = "empty" | "length" | "role_bleed" | "denies_ai" | "assistant_tell" | "prompt_leak" | "secret_leak"

const MAX_REPLY_CHARS = 8000

const ROLE_BLEED: ReadonlyArray<RegExp> = [
  /^[\s*_#>"]*(?:user|assistant|USER|ASSISTANT|User|Assistant|Human|HUMAN|System|SYSTEM)[*_]*\s?:/m,
  /[.!?…]["”]?\s+(?:User|Assistant|USER|ASSISTANT):/,
  /\{\{\s*(?:char|user|bot)\s*\}\}/i,
  /<\|[a-z_ ]{2,30}\|>|<START>|\[\/?INST\]|<\/?(?:system|assistant)>|^#{2,3} ?(?:Instruction|Response):/im
]

const ASSISTANT_TELLS: ReadonlyArray<RegExp> = [
  /\bas an? (?:(?:large )?language model|ai(?: language)? model|ai (?:assistant|chatbot|system)|ai,? i (?:do not|don't|cannot|can't|am not|have no))/i,
  /\b(?:i'm|i am) (?:just |only |merely )?an? (?:(?:large )?language model|ai language model|ai (?:assistant|chatbot))\b/i,
  /\bhow (?:can|may|could) i (?:help|assist) you(?: (?:today|further|with))?\b[^.!]{0,20}\?|\bhow (?:can|may) i be of (?:assistance|service)\b/i,
  /\b(?:is there )?anything else i can (?:help|assist) (?:you )?with\b/i,
  /\bi (?:can(?:no|')t|am (?:unable|not able) to|'m (?:unable|not able) to) (?:fulfill|assist with|comply with|help with) (?:that|this|your) request\b/i,
  /\bmy (?:training data|knowledge cutoff|programming (?:does|doesn't|prevents))\b/i
]

type Gate = (reply: string, words: ReadonlyArray<string>, context: GateContext) => boolean

/** In order, each true when it refuses. The first to refuse names the reason. */
const GATES: ReadonlyArray<readonly [GateName, Gate]> = [
  ["empty", (reply) => !/[\p{L}\p{N}\p{P}\p{S}]/u.test(reply)],
  ["length", (reply) => reply.length > MAX_REPLY_CHARS],
  ["role_bleed", (reply) => ROLE_BLEED.some((pattern) => pattern.test(reply))],
  ["denies_ai", (reply, _, { userTexts }) => asksWhatYouAre(userTexts[0] ?? "") && deniesMachine(reply)],
  ["assistant_tell", (reply, _, { userTexts }) =>
    ASSISTANT_TELLS.some((pattern) => pattern.test(reply)) && !(admitsMachine(reply) && userTexts.some(asksWhatYouAre))],
  ["prompt_leak", (_, words, { serviceText }) => quotes(words, serviceText)],
  ["secret_leak", (_, words, { mustNotReveal }) => tells(words, mustNotReveal)]
]

/** The gate that refuses the reply, or null when all let it pass. Deterministic: the same in every mode and with every engine. */
export const refusal = (reply: string, context: GateContext): GateName | null => {
  const words = reply.length > MAX_REPLY_CHARS ? [] : terms(reply)
  return GATES.find(([, refuses]) => refuses(reply, words, context))?.[0] ?? null
}
