import { hasWholeWord } from "../../wholeWords.ts"
import type { Memory } from "../Relationship.ts"
import { tellingWords } from "./notFacts.ts"
import { sentencesOf } from "./sentences.ts"

/** "sorry, the 15th, not the 14th": a detail of what was told before, put right. */

const READ_CHARS = 300
const CUE = new RegExp(
  String.raw`^(?:(?:oh|ah|oops|and|haha|lol|hm|well|ok),? )?(?:sorry|no,? wait|wait|i mean|i meant|actually|` +
    String.raw`correction|oops|` +
    String.raw`my bad|my mistake|scratch that|no,|nein|moment|ich meine?|quatsch|não,|aliás|quer dizer|desculpa|` +
    String.raw`perdón|` +
    String.raw`digo|perdona|espera)(?!\p{L})`,
  "iu"
)
const NOT = new RegExp(
  String.raw`([\p{L}\p{N}]{1,20}),? (?:and |und |e |y )?(?:not|nicht|não|no) (?:the |an? |in |on |at |am |im |` +
    String.raw`der |die |das |` +
    String.raw`o |a |em |no |na |el |la |en )?([\p{L}\p{N}]{1,20})(?![\p{L}\p{N}])`,
  "iu"
)
const NUMBERS =
  "\\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|" +
  "twenty|thirty"
const ORDINAL = "\\d{1,2}(?:st|nd|rd|th)"
const WEEKDAY =
  "(?:mon|tues|wednes|thurs|fri|satur|sun)day|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|segunda|" +
  "terça|quarta|quinta|sexta|lunes|martes|miércoles|jueves|viernes|sábado|domingo"
const MONTH =
  "january|february|march|april|june|july|august|september|october|november|december|januar|februar|märz|juni|juli|" +
  "oktober|dezember|janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro|enero|" +
  "febrero|marzo|mayo|junio|julio|septiembre|octubre|noviembre|diciembre"
/** Details of a kind: one replaces the other. The last is a number of things of the same name. */
const KINDS: ReadonlyArray<RegExp> = [
  new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${ORDINAL})(?![\p{L}\p{N}])`, "iu"),
  new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${WEEKDAY})(?![\p{L}\p{N}])`, "iu"),
  new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${MONTH})(?![\p{L}\p{N}])`, "iu"),
  new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${NUMBERS}) (?=\p{L})`, "iu")
]
const WORDS = /[\p{L}\p{N}]+/gu
const NOUN_AFTER = /^\p{L}{3,15}/u
/** How many messages back a detail can be that is put right without being named. */
const LATELY = 2

interface Correction {
  readonly memory: Memory
  readonly text: string
  readonly quote: string
}

/** Whether a sentence puts something right, which may be long ago. A "she" after it is somebody of that time. */
export const isCorrection = (sentence: string): boolean => CUE.test(sentence) && NOT.test(sentence)

const cursorOf = ({ evidence }: Memory): number => evidence.at(-1)?.cursor ?? 0

/** "the 15th", of a memory with another day. */
const replaced = (sentence: string, text: string): string | null => {
  for (const kind of KINDS) {
    const now = kind.exec(sentence)
    const was = kind.exec(text)
    if (now === null || was === null || now[0].toLowerCase() === was[0].toLowerCase()) continue
    const nounOf = (whole: string, found: RegExpExecArray): string =>
      found[0].endsWith(" ") ? (NOUN_AFTER.exec(whole.slice(found.index + found[0].length))?.[0] ?? "?") : ""
    if (nounOf(sentence, now) !== nounOf(text, was)) continue
    return text.slice(0, was.index) + now[0] + text.slice(was.index + was[0].length)
  }
  return null
}

/** Which memory a message puts right. `lately`: positions of the person's last messages, newest last. */
export const correctionIn = (
  message: string,
  active: ReadonlyArray<Memory>,
  lately: ReadonlyArray<number>
): Correction | null => {
  const from = lately.slice(-LATELY)[0] ?? Number.POSITIVE_INFINITY
  for (const sentence of sentencesOf(message.slice(0, READ_CHARS))) {
    const [, now = "", was = ""] = NOT.exec(sentence) ?? []
    const isDetail = /\d/.test(was) || CUE.test(sentence)
    if (was !== "" && isDetail && (/\d/.test(was) || tellingWords(was).length > 0)) {
      const memory = active.findLast(({ text }) => hasWholeWord(text.toLowerCase(), was.toLowerCase()))
      if (memory !== undefined) {
        const text = memory.text.replace(WORDS, (word) => (word.toLowerCase() === was.toLowerCase() ? now : word))
        return { memory, text, quote: sentence }
      }
    }
    if (!CUE.test(sentence)) continue
    for (const memory of active.filter((one) => cursorOf(one) >= from).toReversed()) {
      const text = replaced(sentence, memory.text)
      if (text !== null) return { memory, text, quote: sentence }
    }
  }
  return null
}
