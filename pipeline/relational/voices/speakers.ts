import type { About } from "../Relationship.ts"
import { isCapital, type Lexicon, lexiconFor, relationIn, wordsIn } from "./lexicon.ts"
import type { Span } from "./quotations.ts"

/** Whose words the lines of a message are: of a pasted chat, a mail, or a quoted block. */

export interface Turn extends Span {
  /** Null: the person's own words. An empty name: somebody else's. */
  readonly speaker: string | null
}

const MAX_LABEL_CHARS = 40
const MAX_LABEL_WORDS = 3
const TIME =
  String.raw`[[(]?(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? )?\d{1,2}[:.]\d{2}` +
  String.raw`(?:[:.]\d{2})?(?: ?[AaPp]\.?[Mm]\.?)?[\])]?`
const STAMPED = new RegExp(String.raw`^\s*${TIME}\s{0,2}[-–—]?\s{0,2}<?([^:<>\n]{1,${MAX_LABEL_CHARS}}?)>?:\s`, "u")
const STAMPED_AFTER = new RegExp(String.raw`^\s*([^:<>\n[(]{1,${MAX_LABEL_CHARS}}?),? ${TIME}\s*:\s`, "u")
const ANGLED = /^\s*<([^<>\n]{1,40})>:?\s/u
const PLAIN = /^\s*(?:[*_-]{1,2}\s*)?(\p{L}[^:\n.!?,;"“”„«»*_]{0,40}?)[*_]{0,2}\s{0,2}:[*_]{0,2}(?:\s|(?=["“„«]))/u
const WROTE = /^\s*(?:on|am|el|em|le)\s.{3,120}(?:wrote|schrieb|escribió|escreveu|a écrit)\b.{0,60}:\s*$/iu
const FORWARDED = new RegExp(
  String.raw`^\s*(?:[-_=*]{2,}.{0,10}(?:forwarded|original|weitergeleitet|ursprünglich|reenviado|mensaje|` +
    String.raw`encaminhada|mensagem)|(?:fwd|fw|wg|rv|enc):|` +
    String.raw`(?:forwarded|weitergeleitet|reenviado|encaminhad[ao]) (?:from|message|von|de|por)\b)`,
  "iu"
)
const MAIL_HEADER = /^\s*(?:from|von|de|sent|gesendet|enviado|subject|betreff|asunto|assunto):\s.{0,80}$/iu

interface Labelled {
  readonly name: string
  readonly from: number
  readonly isCertain: boolean
}

const labelIn = (line: string): Labelled | null => {
  const certain = STAMPED.exec(line) ?? STAMPED_AFTER.exec(line) ?? ANGLED.exec(line)
  const found = certain ?? PLAIN.exec(line)
  return found === null ? null : { name: (found[1] ?? "").trim(), from: found[0].length, isCertain: certain !== null }
}

const isSelf = (name: string, lexicon: Lexicon, own: string | null): boolean =>
  lexicon.has("label", { low: name.toLowerCase() }) ||
  lexicon.has("self", { low: name.toLowerCase() }) ||
  (own !== null && name.toLowerCase() === own.toLowerCase())

/** Whether a label can name who speaks: a name or a relation, and no heading such as "Hobbies". */
const namesSomebody = (name: string, lexicon: Lexicon): boolean => {
  const words = wordsIn(name)
  if (words.length === 0 || words.length > MAX_LABEL_WORDS) return false
  const isRelated = words.some((word) => lexicon.relation(word) !== undefined)
  if (words.some((word) => lexicon.has("heading", word) || lexicon.has("fiction", word))) return false
  if (words.some((word) => lexicon.has("report", word))) return false
  return isRelated || words.every((word) => isCapital(word) && !lexicon.has("opener", word))
}

/** What says "I" or "you" behind a label is speech. */
const isSpeech = (text: string, lexicon: Lexicon): boolean => {
  const words = wordsIn(text)
  return (
    words.some((word) => ["self", "object", "second", "mine"].some((list) => lexicon.has(list, word))) ||
    lexicon.has("verb1", words[0] ?? { low: "" }) ||
    /^\s*["“„«]/.test(text) ||
    /[?!]\s*$/.test(text)
  )
}

/** Several turns may stand in one line: "Jack: I love it. Me: I don't." */
const INNER = /(?<=[.!?…"”»])\s+(?=\p{Lu}[\p{L}'’ ]{0,20}:\s)/u

/** The lines of a message with their speakers. `own`: the person's name. */
export const turnsIn = (text: string, own: string | null = null): ReadonlyArray<Turn> => {
  const lexicon = lexiconFor(text)
  const turns: Array<Turn> = []
  let read = 0
  let isMail = false
  const lines = text.split("\n").flatMap((line) => {
    const parts = line.split(INNER)
    return parts.map((part) => {
      const start = text.indexOf(part, read)
      read = start + part.length
      return { part, start, end: read, label: labelIn(part) }
    })
  })
  const names = lines.flatMap(({ label }) => (label === null ? [] : [label.name]))
  const headers = lines.filter(({ part }) => MAIL_HEADER.test(part)).length
  const isChat = new Set(names).size > 1 && names.some((name) => isSelf(name, lexicon, own))
  for (const { part, start, end, label } of lines) {
    if (/^\s*>/.test(part)) {
      turns.push({ start, end, speaker: "" })
      isMail = false
      continue
    }
    if (WROTE.test(part) || FORWARDED.test(part) || (headers > 1 && MAIL_HEADER.test(part))) isMail = true
    if (isMail) {
      turns.push({ start, end, speaker: "" })
      continue
    }
    const said = part.slice(label?.from ?? 0)
    if (label !== null && isSelf(label.name, lexicon, own))
      turns.push({ start: start + label.from, end, speaker: null })
    else if (
      label !== null &&
      (label.isCertain || (namesSomebody(label.name, lexicon) && (isChat || isSpeech(said, lexicon))))
    )
      turns.push({ start, end, speaker: label.name })
    else turns.push({ start, end, speaker: null })
  }
  return turns
}

/** Whom a label names: "My sister Nadia". */
export const aboutOf = (label: string, lexicon: Lexicon): About => {
  const words = wordsIn(label)
  const noun = words.find((word) => relationIn(word) !== undefined)
  const name = words.filter(
    (word) => relationIn(word) === undefined && !["mine", "determiner"].some((list) => lexicon.has(list, word))
  )
  return {
    name: name.length > 0 ? name.map(({ raw }) => raw).join(" ") : null,
    relation: noun === undefined ? null : (relationIn(noun) ?? null)
  }
}
