import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"
import { WordForms } from "../retrieval/WordForms.ts"

/** Phrases that claim that the person said something. */
const SAID = new RegExp(
  String.raw`\b(?:you(?:'ve|'d| have| had)? (?:once |already |just |also )?` +
    String.raw`(?:told|mentioned|said|wrote|shared|described)|you were (?:just )?(?:telling|saying)|` +
    String.raw`(?:didn't|haven't|hadn't) you (?:once |already |just )?(?:tell|told|say|said|mention(?:ed)?)|` +
    String.raw`i (?:still )?remember (?:that|your|you)|remember your|as you (?:said|told|mentioned)|like you said|` +
    String.raw`according to you)\b|(?<!\p{L})(?:du (?:hast|hattest) (?:mir |mal |ja |doch |schon )*` +
    String.raw`(?:\p{L}+ ){0,6}?(?:gesagt|erzählt|erwähnt)|du (?:\p{L}+ ){0,6}?(?:gesagt|erzählt|erwähnt) ` +
    String.raw`(?:hast|hattest)|du (?:erzähltest|sagtest|erwähntest)|me (?:dijiste|contaste)|recuerdo que|` +
    String.raw`tu m['’](?:as|avais) (?:dit|raconté)|você me (?:disse|contou)|(?:disseste|contaste)-me|` +
    String.raw`mi hai (?:detto|raccontato)|je (?:hebt |had )?(?:me |mij )?(?:verteld|vertelde|zei))(?!\p{L})`,
  "iu"
)
/** Phrases that claim a shared past. The character may have been the one who spoke. */
const SHARED = new RegExp(
  String.raw`\b(?:(?:do you )?remember (?:when|how|that time|the time)|i (?:still )?remember when|` +
    String.raw`we (?:once |just |already )?(?:talked|spoke|chatted) (?:about|of)|` +
    String.raw`(?:last|the other) (?:time|day|week|night) (?:you|we (?:talked|spoke|met|chatted)))\b|` +
    String.raw`(?<!\p{L})(?:(?:weißt du noch|erinnerst du dich),? (?:wie (?:du|wir|ich)|als|an)|recuerdo cuando|` +
    String.raw`te acuerdas (?:de )?(?:que|cuando|aquella vez)|ti ricordi (?:quando|che)|weet je nog (?:dat|toen))` +
    String.raw`(?!\p{L})`,
  "iu"
)
/** A prefix that turns a claim into a denial, a question, or a reaction to what was just said. */
const DISCLAIMED = new RegExp(
  String.raw`n['’]t (?:think|believe|recall|remember|know)(?! (?:why|when|where|how)\b)|` +
    String.raw`\b(?:never(?! forget)|not sure|don't(?! (?:know|remember|recall) (?:why|when|where|how)\b)|` +
    String.raw`didn't(?! you)|did you|have you|haven't(?! you)|if you|(?<!(?:from|by) )what you|unless you|had you|` +
    String.raw`whatever you|wish you|(?:glad|happy|sorry|good|kind|brave) (?:that )?you)\b|` +
    String.raw`(?<!\p{L})(?:bom|ainda bem|feliz|contente|bueno|me alegra|me alegro de|menos mal) que(?!\p{L})|` +
    String.raw`^\s{0,2}qu[eé] \p{L}{2,15} que(?!\p{L})|` +
    String.raw`(?<!\p{L})(?:adorei|amei|gostei|agradeço|obrigad[oa] por|me encanta|me gusta|agradezco) que(?!\p{L})|` +
    String.raw`\b(?:love|loved|like|appreciate|nice|great|lovely|sweet|cool) (?:it )?(?:that |when )?you\b|` +
    String.raw`\b(?:nicht|nie|ob du|hast du|hattest du|falls du|wenn du|was du|wünschte,? du|` +
    String.raw`(?:schön|gut|lieb|froh|danke),? dass du)\b|(?<!\p{L})(?:no me|nunca|não|jamais|ne m|non mi)(?!\p{L})`,
  "iu"
)
/** A suffix that denies that anything was said. */
const NOTHING = /^\W*(?:me |to me )?(?:nothing|no|not|nichts|kein\p{L}*|nada|rien|niente)(?!\p{L})/iu
const CLAIM_WORDS = new Set(
  (
    "told tell telling mentioned mention said say saying wrote shared described remember according talked spoke " +
    "chatted once already time day week last other yourself now gesagt erzahlt erwahnt erzahltest sagtest " +
    "erwahntest weisst weißt noch erinnerst dijiste contaste recuerdo dit raconte disse contou disseste mir mal ja " +
    "doch schon das dass wie ein eine du hast hattest hat dein deine ist que te tu un una une la le el me eu um " +
    "uma é e o a de do da mi hai detto raccontato che je hebt"
  ).split(" ")
)

const CLAUSE_END = /[,;:–—()]|\b(?:but|aber|pero)\b/giu

/** The part of the clause that leads to a match: from the start of the clause to the end of the match. */
const leadingTo = (sentence: string, from: number, to: number): string => {
  const begin = [...sentence.slice(0, from).matchAll(CLAUSE_END)].at(-1)
  return sentence.slice(begin === undefined ? 0 : begin.index + begin[0].length, to)
}

const claims = (sentence: string, pattern: RegExp): boolean => {
  const match = pattern.exec(sentence)
  if (match === null) return false
  const end = match.index + match[0].length
  return !DISCLAIMED.test(leadingTo(sentence, match.index, end)) && !NOTHING.test(sentence.slice(end))
}

const MAX_SHARED = 2

/** The content words of each text, read when the first claim needs them. */
const wordsOf = (texts: ReadonlyArray<string>): (() => ReadonlyArray<ReadonlySet<string>>) => {
  let words: ReadonlyArray<ReadonlySet<string>> | null = null
  return () => (words ??= texts.map((text) => new Set(contentOf(terms(text)))))
}

const isSupported = (sentence: string, evidence: () => ReadonlyArray<ReadonlySet<string>>): boolean => {
  const claimed = new WordForms(contentOf(terms(sentence)).filter((word) => !CLAIM_WORDS.has(word)))
  const needed = Math.min(MAX_SHARED, claimed.size)
  return needed === 0 || evidence().some((words) => claimed.in(words).size >= needed)
}

/**
 * What can support a claim: what the person said or what is remembered about them, and what the character said itself.
 */
export interface MemoryEvidence {
  readonly theirs: ReadonlyArray<string>
  readonly own: ReadonlyArray<string>
}

/**
 * Whether a reply claims to remember what none of these texts says. A text supports a claim if it shares its content
 * words. A claim that the person said something is not supported by what the character said before.
 */
export const makesFalseClaim = (reply: string, { theirs, own }: MemoryEvidence): boolean => {
  const [byThem, byBoth] = [wordsOf(theirs), wordsOf([...theirs, ...own])]
  return reply
    .split(/(?<=[.!?…])\s+|\n+/)
    .some((sentence) =>
      claims(sentence, SAID)
        ? !isSupported(sentence, byThem)
        : claims(sentence, SHARED) && !isSupported(sentence, byBoth)
    )
}
