import type { Extraction } from "../Extraction.ts"
import type { EndedTurn } from "../Extractor.ts"
import { bounded } from "../bounded.ts"
import { sharedWith } from "../gist.ts"
import { isWaiting, type Relationship } from "../Relationship.ts"
import { actOf } from "./acts.ts"
import { dayIn } from "./days.ts"
import { isQuestion } from "./questions.ts"

type Opened = Extraction["loops_open"][number]

const SENTENCES = /(?<=[.!?…;])\s+|\n+/
const READ_CHARS = 2_000
const MAX_QUOTE_CHARS = 300

const MINE = new RegExp(
  String.raw`\b(?:i|i['’]?m|i['’]?ve|i['’]?ll|my|me|we|we['’]?re|our)\b|` +
    String.raw`(?<!\p{L})(?:ich|mein(?:e[mnrs]?)?|wir|mi|mis|yo|tengo|mon|ma|mes|j['’]ai|eu|meu|minha|tenho)` +
    String.raw`(?!\p{L})`,
  "iu"
)
const PROMISES = new RegExp(
  String.raw`\bi(?:['’]ll| will| promise to| promise i['’]?ll) (?:send|show|tell|bring|call|write|let you know|` +
    String.raw`get back|try|finish|do|read|watch|ask|think about)\b|(?<!\p{L})` +
    String.raw`(?:ich (?:schick|schicke|zeig|zeige|erzähl|erzähle|sag|sage)(?: es)? dir|` +
    String.raw`te (?:mando|cuento|digo|enseño)|je te (?:dis|montre|raconte|envoie)|eu (?:mando|conto|mostro)-te)` +
    String.raw`(?!\p{L})`,
  "iu"
)
/** "It went well", "I passed": how something turned out. */
const OUTCOME = new RegExp(
  String.raw`\b(?:went|passed|failed|got|was|were|did|finished|done|over|made it|happened|won|lost|came|arrived|` +
    String.raw`told|sent|cancel(?:l)?ed|postponed)\b|(?<!\p{L})(?:war|lief|bestanden|geschafft|vorbei|fue|salió|` +
    String.raw`aprobé|passé|été|passei|correu|foi)(?!\p{L})`,
  "iu"
)
const PAST = new RegExp(
  String.raw`\b(?:yesterday|ago|last (?:week|month|year|night|spring|summer|autumn|fall|winter|monday|tuesday|` +
    String.raw`wednesday|` +
    String.raw`thursday|friday|saturday|sunday)|was|were|had|went|did|broke|bit|came|saw|met|bought|lost|took|` +
    String.raw`made|left|` +
    String.raw`began|fell|got (?!to\b)|\p{L}{3,20}ed)\b|` +
    String.raw`(?<!\p{L})(?:gestern|vorgestern|letzte[nrs]?|war|waren|hatte|ging|wurde|(?:habe?|bin|ist|hat|sind|` +
    String.raw`haben)(?= .{0,60}ge\p{L}{2,20}(?:t|en)(?!\p{L}))|` +
    String.raw`ontem|passad[oa]|há \p{L}+ (?:dias|semanas|meses|anos)|fui|foi|tive|ayer|pasad[oa]|hace \p{L}+|` +
    String.raw`fue|tuve)(?!\p{L})`,
  "iu"
)
const COMING = new RegExp(
  String.raw`\b(?:will|['’]ll|going to|gonna|tomorrow|tonight|next|coming|have to|need to|has to|planned|booked|` +
    String.raw`scheduled|` +
    String.raw`supposed|invited|moved to|is on|are on|(?:['’]ve|have|has) got|got (?:an?|my|the|our) \p{L}+ ` +
    String.raw`(?:on|next|in))\b|` +
    String.raw`(?<!\p{L})(?:morgen|nächste[nrs]?|kommende[nrs]?|werde|wird|amanhã|próxim[oa]|vou|vai|mañana|voy ` +
    String.raw`a|va a)(?!\p{L})`,
  "iu"
)
/** "I broke my arm on Monday" does not look forward to Monday. */
const isPast = (sentence: string): boolean => PAST.test(sentence) && !COMING.test(sentence)

const WORDS_SHARED = 1

const sentencesOf = (text: string) =>
  text
    .slice(0, READ_CHARS)
    .split(SENTENCES)
    .map((part) => part.trim())
    .filter((part) => part !== "" && part.length <= MAX_QUOTE_CHARS)

const languagesOf = ({ endUser, character }: EndedTurn) =>
  [endUser.locale, ...character.voice.languages].flatMap((tag) => (tag === null ? [] : [tag]))

/** The loops that a turn opens: days that the person looks forward to or fears, and promises by either of them. */
export const loopsOf = (turn: EndedTurn, known: Relationship): Pick<Extraction, "loops_open" | "loops_resolved"> => {
  const when = { at: turn.at, timezone: turn.endUser.timezone, languages: languagesOf(turn) }
  const today = turn.at.toISOString().slice(0, 10)
  const opened: Array<Opened> = []
  const message = turn.message?.text ?? ""
  for (const sentence of sentencesOf(message)) {
    if (isQuestion(sentence)) continue
    const promise = PROMISES.test(sentence)
    const day = MINE.test(sentence) && !isPast(sentence) ? dayIn(sentence, when) : null
    if (day !== null && day >= today)
      opened.push({
        kind: promise ? "promise" : "event_followup",
        owner: "user",
        text: sentence,
        due_on: day,
        quote: sentence
      })
    else if (promise) opened.push({ kind: "promise", owner: "user", text: sentence, due_on: null, quote: sentence })
  }
  for (const sentence of sentencesOf(turn.reply?.text ?? "")) {
    if (PROMISES.test(sentence) && !isQuestion(sentence))
      opened.push({
        kind: "promise",
        owner: "character",
        text: sentence,
        due_on: dayIn(sentence, when),
        quote: sentence
      })
  }
  const act = actOf(message)
  const beginning = bounded(message, MAX_QUOTE_CHARS)
  if (act === "insult")
    opened.push({ kind: "conflict", owner: "user", text: beginning, due_on: null, quote: beginning })

  const shared = sharedWith(message)
  const resolved = [...known.loops.values()]
    .filter(isWaiting)
    .filter((loop) =>
      loop.kind === "conflict"
        ? act === "apology"
        : loop.owner === "user" &&
          OUTCOME.test(message) &&
          !isQuestion(message) &&
          dayIn(message, when) !== loop.due_at?.slice(0, 10) &&
          shared(loop.text) >= WORDS_SHARED
    )
  return { loops_open: opened, loops_resolved: resolved.map(({ id }) => id) }
}
