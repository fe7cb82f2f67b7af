import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"
import type { EndedTurn } from "./Extractor.ts"

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "))

/** Words of a person about themselves or about the two of them, and orders about what is remembered. */
const OF_SELF = words(
  "i im ive id ill me my mine myself we us our ours remember forget note " +
    "ich mich mir mein meine meinen meinem meiner meins wir uns unser unsere merk merke vergiss vergesse " +
    "eu me mim meu minha meus minhas nos nosso nossa lembra esquece " +
    "yo mi mis conmigo nosotros nuestro nuestra recuerda olvida je moi mon ma mes nous notre nos oublie"
)
/** What a greeting, thanks or a farewell consists of. */
const COURTESY = words(
  "hi hey hello hallo hola oi ola yo sup morning evening afternoon night good ok okay k kk lol haha " +
    "hahaha hehe hm hmm " +
    "mm wow nice cool great sure right yes yeah yep yup no nope nah ja nein sim nao si oui non " +
    "thanks thank thx ty danke " +
    "obrigado obrigada gracias merci bye goodbye cya tschuss ciao tchau adeus adios see you later " +
    "tomorrow gute nacht " +
    "guten morgen abend tag boa bom noite dia buenas noches dias bonne nuit bonjour salut bis bald morgen ate amanha"
)
const ASKS = /[?？]\s*$/u
const ENDS = /(?<=[.!?…。！？])\s+|\n+/
/** A promise of the character becomes something to come back to. */
const PROMISES =
  /\b(?:i(?:['’]ll| will)|let me)\b|(?<!\p{L})(?:ich werde|eu vou|vou te|te voy|voy a|je vais)(?!\p{L})/iu
const MAX_CHARS = 400

/**
 * Whether a turn tells nothing of the person: a courtesy, or questions about something else. Only then is no model
 * asked to extract memories from it. An answer to a question of the character always tells something.
 */
export const tellsNothing = ({ message, reply, history }: EndedTurn): boolean => {
  if (message === null || message.text.length > MAX_CHARS) return message === null
  if (reply !== null && PROMISES.test(reply.text)) return false
  // It only forwards.
  if (message.text === "") return true
  const said = terms(message.text)
  if (said.some((word) => OF_SELF.has(word))) return false
  const before = history.findLast(({ role }) => role === "character")?.text ?? ""
  if (before.includes("?") || before.includes("？")) return false
  if (said.every((word) => COURTESY.has(word))) return true
  return message.text
    .split(ENDS)
    .filter((sentence) => sentence.trim() !== "")
    .every((sentence) => ASKS.test(sentence) || contentOf(terms(sentence)).every((word) => COURTESY.has(word)))
}
