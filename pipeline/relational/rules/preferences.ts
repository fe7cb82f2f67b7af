import { compatible } from "../../compatible.ts"
import type { Extraction } from "../Extraction.ts"

type Read = Extraction["preferences"][number]

const START = String.raw`(?<![\p{L}\p{N}])`
const END = String.raw`(?![\p{L}\p{N}])`
const words = (...patterns: ReadonlyArray<string>): RegExp =>
  new RegExp(`${START}(?:${patterns.join("|")})${END}`, "iu")

const WRITE =
  String.raw`(?:text|texting|write|writing|message|messaging|msg|contact|contacting|ping|pinging|bother|bothering|` +
  String.raw`spam|spamming)`

/** Asks for no more unprompted messages. "Stop texting me about him" is about a topic. */
const STOP = words(
  String.raw`(?:please )?(?:stop|quit) ${WRITE}(?: (?:to )?me| at me)?` +
    String.raw`(?! (?:about|like|that|while|when|at|before|after|so|too))`,
  String.raw`(?:do not|don['’]?t|never) (?:ever )?${WRITE} (?:to )?me(?: (?:again|any ?more|first|unless))?` +
    String.raw`(?! (?:about|like|that|while|when|at|before|after|so|too|in|on|during))`,
  String.raw`(?:do not|don['’]?t) reach out(?: to me)?(?: again| any ?more| first)?`,
  "leave me alone",
  "unsubscribe",
  "no more (?:messages|texts)(?: please)?",
  "stop (?:the )?(?:messages|texts|notifications)",
  String.raw`(?:bitte )?(?:hör|hören sie) auf,? mir zu schreiben`,
  "schreib(?:e)? mir (?:bitte )?(?:nicht|nie) (?:mehr|wieder)",
  "lass mich in ruhe",
  "keine nachrichten mehr",
  "deja de escribirme",
  "no me escribas (?:más|mas)",
  "déjame en paz",
  "arrête de m['’]écrire",
  "ne m['’]écris plus",
  "laisse-moi tranquille",
  "para de me (?:escrever|mandar mensagens?)",
  "não me (?:escrevas|mandes? mensagens?) mais",
  "deixa-me em paz"
)
const AGAIN = words(
  String.raw`you (?:can|may) ${WRITE} me again`,
  String.raw`(?:please )?(?:start )?${WRITE} me again`,
  "du (?:kannst|darfst) mir wieder schreiben",
  "puedes escribirme (?:otra vez|de nuevo)",
  "tu peux m['’]écrire à nouveau",
  "podes escrever-me outra vez"
)
const LESS = words(
  String.raw`${WRITE} (?:to )?me (?:less|not so (?:much|often)|less often)`,
  String.raw`(?:do not|don['’]?t) ${WRITE} me so (?:much|often)`,
  "too many (?:messages|texts)",
  "(?:fewer|less) (?:messages|texts)",
  "schreib(?:e)? mir (?:bitte )?(?:weniger|nicht so oft)",
  "escríbeme menos",
  "écris-moi moins",
  "escreve-me menos"
)
const MORE = words(
  String.raw`${WRITE} (?:to )?me (?:more(?: often)?|whenever you (?:like|want)|any ?time)`,
  "(?:more) (?:messages|texts) (?:please|from you)",
  "schreib(?:e)? mir (?:ruhig )?(?:öfter|mehr)",
  "escríbeme más",
  "écris-moi plus",
  "escreve-me mais"
)

const TIME = String.raw`(\d{1,2})(?:[:.h](\d{2}))? ?(am|pm|uhr)?`
const ONLY_BETWEEN = new RegExp(
  String.raw`${START}(?:only )?(?:${WRITE}) (?:to )?me (?:only )?between ${TIME} (?:and|to|-) ${TIME}`,
  "iu"
)
const NOT_AFTER = new RegExp(
  String.raw`${START}(?:do not|don['’]?t|never|stop|no) (?:${WRITE}|messages|texts)(?: (?:to )?me)? ` +
    String.raw`(?:after|past) ${TIME}|${START}schreib(?:e)? mir (?:bitte )?nicht nach ${TIME}`,
  "iu"
)
const NOT_BEFORE = new RegExp(
  String.raw`${START}(?:do not|don['’]?t|never|stop|no) (?:${WRITE}|messages|texts)` +
    String.raw`(?: (?:to )?me)? before ${TIME}|${START}schreib(?:e)? mir (?:bitte )?nicht vor ${TIME}`,
  "iu"
)
/** If a person names no hours, assume that they do not want to be woken up. */
const MORNING = "09:00"
const EVENING = "22:00"

const TOPIC = String.raw`((?!(?:me|that|it|this|you|mich|mir)(?![\p{L}]))[\p{L}][\p{L}\p{N}'’ -]{1,50}?)`
const AVOID = new RegExp(
  String.raw`${START}(?:(?:do not|don['’]?t|please don['’]?t|never|stop) (?:ever )?(?:(?:mention(?:ing)?|bring` +
    String.raw`(?:ing)? up) |(?:talk(?:ing)?|ask(?:ing)?|speak(?:ing)?|${WRITE})(?: to me| me)? (?:about|of) )|` +
    String.raw`no more talk (?:about|of) |let['’]?s not talk about |i (?:don['’]?t|do not) want to ` +
    String.raw`(?:talk|hear) about |ich (?:will|möchte) nicht über )${TOPIC}` +
    String.raw`(?: (?:again|any ?more|ever|please|reden|sprechen))*[.!]*$`,
  "iu"
)

const clock = (hour: string | undefined, minute: string | undefined, half: string | undefined): string | null => {
  const told = Number(hour)
  const hours =
    half?.toLowerCase() === "pm" && told < 12 ? told + 12 : half?.toLowerCase() === "am" && told === 12 ? 0 : told
  const minutes = Number(minute ?? 0)
  return hour === undefined || hours > 23 || minutes > 59
    ? null
    : `${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`
}
/** The first time in a match. Each alternative of a pattern has its own groups. */
const timeIn = (groups: ReadonlyArray<string | undefined>): string | null => {
  const at = groups.findIndex((group) => group !== undefined)
  return at === -1 ? null : clock(groups[at], groups[at + 1], groups[at + 2])
}

/** What a message says about how its author wants to receive unprompted messages. */
export const preferencesIn = (message: string): ReadonlyArray<Read> => {
  const text = compatible(message, "NFKC").replace(/[^\S\n]+/g, " ")
  const found: Array<Read> = []
  const say = (field: Read["field"], value: string) => found.push({ field, value, explicit: true })

  const between = ONLY_BETWEEN.exec(text)
  const from = between === null ? null : clock(between[1], between[2], between[3])
  const to = between === null ? null : clock(between[4], between[5], between[6] ?? between[3])
  const after = timeIn(NOT_AFTER.exec(text)?.slice(1) ?? [])
  const before = timeIn(NOT_BEFORE.exec(text)?.slice(1) ?? [])
  if (from !== null && to !== null) say("preferred_hours", `${from}-${to}`)
  else if (after !== null || before !== null) say("preferred_hours", `${before ?? MORNING}-${after ?? EVENING}`)

  if (STOP.test(text) && found.length === 0) say("opted_out", "true")
  else if (AGAIN.test(text)) say("opted_out", "false")
  if (LESS.test(text)) say("frequency", "less")
  else if (MORE.test(text)) say("frequency", "more")

  const avoided = AVOID.exec(
    text
      .split(/(?<=[.!?])\s+|\n+/)
      .find((sentence) => AVOID.test(sentence.trim()))
      ?.trim() ?? ""
  )?.[1]
  if (avoided !== undefined) say("topics_avoid", avoided.trim())
  return found
}
