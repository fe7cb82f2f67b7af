import { alike } from "../retrieval/alike.ts"
import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"

/** Words by which a reply claims to know something from the person. */
const CLAIM = /\b(?:you(?:'ve| have| had)? (?:once |already |just |also )?(?:told|mentioned|said|wrote)|(?:do you )?remember (?:when|how|that time|the time)|i remember (?:when|that|your|you)|(?:last|the other) (?:time|day|week|night) (?:you|we (?:talked|spoke|met|chatted))|as you (?:said|told|mentioned)|like you said)\b|(?<!\p{L})(?:du hast (?:mir |mal |ja |doch |schon )*(?:\p{L}+ ){0,6}?(?:gesagt|erzählt|erwähnt)|(?:weißt du noch|erinnerst du dich),? (?:wie|als|an)|wie du (?:sagtest|gesagt hast)|me (?:dijiste|contaste)|recuerdo (?:que|cuando)|te acuerdas (?:de )?(?:que|cuando|aquella vez)|tu m['’]as (?:dit|raconté)|você me (?:disse|contou)|(?:disseste|contaste)-me)(?!\p{L})/iu
/** What only denies knowing, or asks. */
const DISCLAIMER = /n['’]t (?:think|believe|recall|remember|know)|\b(?:never|not sure|don't|didn't|did you|have you|haven't|if you|what you|unless you|had you|whatever you|wish you|(?:glad|happy|sorry|good|kind|brave) (?:that )?you)\b|\b(?:nicht|nie|ob du|hast du|falls du)\b|(?<!\p{L})(?:no me|nunca|não|jamais|ne m)(?!\p{L})/iu
const CLAIM_WORDS = new Set("told tell mentioned said say wrote remember once already time day week last other gesagt erzählt erwähnt weißt noch erinnerst dijiste contaste recuerdo dit raconte disse contou disseste mir mal ja doch schon das ein eine du hast hat dein deine ist que te tu un una le la el me eu um uma é e o a de do da".split(" "))

/** The sentences of a reply that claim a memory. */
const claimsIn = (reply: string): ReadonlyArray<string> =>
  reply.split(/(?<=[.!?…])\s+|\n+/).filter((sentence) => CLAIM.test(sentence) && !DISCLAIMER.test(sentence))

const MOST_SHARED = 2

/** Whether a reply claims to remember what none of these texts says. A claim is borne out by a text that shares its telling words. */
export const claimsFalsely = (reply: string, evidence: ReadonlyArray<string>): boolean =>
  claimsIn(reply).some((sentence) => {
    const claimed = [...new Set(contentOf(terms(sentence)).filter((word) => !CLAIM_WORDS.has(word)))]
    const needed = Math.min(MOST_SHARED, claimed.length)
    if (needed === 0) return false
    return !evidence.some((text) => {
      const words = contentOf(terms(text))
      return claimed.filter((word) => words.some((other) => alike(word, other))).length >= needed
    })
  })
