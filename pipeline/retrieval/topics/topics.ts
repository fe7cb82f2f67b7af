import { terms } from "../terms.ts"
import { ENGLISH } from "./english.ts"
import { GERMAN } from "./german.ts"
import { PORTUGUESE } from "./portuguese.ts"
import { SPANISH } from "./spanish.ts"

/**
 * Marks that texts share if they are about the same thing in other words: `~pet` for everything about pets, `~pet~cat`
 * for cats. A text about a cat has both. A question about pets has the first, and one about a cat only the second, so
 * that the hamster does not answer it.
 */
export type TopicMark = string

interface Entry {
  /** What a text that tells has. */
  readonly told: ReadonlyArray<TopicMark>
  /** What a text that asks has. */
  readonly asked: ReadonlyArray<TopicMark>
}

const lexiconOf = (sources: ReadonlyArray<string>): ReadonlyMap<string, Entry> => {
  const lexicon = new Map<string, Entry>()
  const add = (marked: string, told: ReadonlyArray<TopicMark>, asked: ReadonlyArray<TopicMark>) => {
    const word = marked.replace(/^[?!]/, "")
    const known = lexicon.get(word)
    lexicon.set(word, {
      told: [...new Set([...(known?.told ?? []), ...(marked.startsWith("?") ? [] : told)])],
      asked: [...new Set([...(known?.asked ?? []), ...(marked.startsWith("!") ? [] : asked)])]
    })
  }
  // A line that begins with spaces continues the one before it.
  for (const line of sources.join("\n").replaceAll(/\n +/g, " ").split("\n")) {
    const colon = line.indexOf(":")
    if (colon === -1) continue
    const topic = `~${line.slice(0, colon)}`
    const [general = "", ...groups] = line.slice(colon + 1).split("|")
    const all = general.trim() === "" ? [] : [topic]
    for (const word of general.trim().split(/\s+/)) add(word, all, all)
    for (const group of groups) {
      const words = group.trim().split(/\s+/)
      const one = `${topic}~${(words[0] ?? "").replace(/^[?!]/, "")}`
      for (const word of words) add(word, [...all, one], [one])
    }
  }
  return lexicon
}

const LEXICON = lexiconOf([ENGLISH, GERMAN, PORTUGUESE, SPANISH])

/** Wordings that are about a topic without a word for it. */
type Phrases = ReadonlyArray<readonly [RegExp, ...ReadonlyArray<TopicMark>]>
const BOTH: Phrases = [
  [/(?<!\p{L})(?:faço|fazes|faz) anos(?!\p{L})/iu, "~birthday"],
  [/\b(?:was|were) (?:i )?born (?:on|in)\b/i, "~birthday"]
]
const ASKED: Phrases = [
  ...BOTH,
  [
    new RegExp(
      String.raw`\bwhat (?:can['’]?t|cannot|should(?:n['’]?t)?) (?:i|` +
        String.raw`my \p{L}{2,20}) (?:not )?(?:avoid )?(?:eat(?:ing)?|drink(?:ing)?|have)\b`,
      "iu"
    ),
    "~allergy",
    "~diet"
  ],
  [/\b(?:was|were|am|did) i (?:get )?(?:laid off|fired|sacked|made redundant)\b/i, "~work~unemployed"],
  [
    /\bwhat (?:do|did) i (?:like to |enjoy )?do (?:for fun|in my (?:free|spare) time|on (?:the )?weekends?)\b/i,
    "~hobby"
  ],
  [/\bwhat happened (?:to|with)\b/i, "~death", "~health", "~partner~ex", "~work~unemployed"],
  [/\b(?:lose|lost|losing) (?:my|your|the|a) job\b|\bget (?:fired|sacked|laid off)\b/i, "~work~unemployed"],
  [
    /\bwhat (?:do|did) i do\b(?! (?:in|on|at|when|after|if|with)\b)(?: (?:for work|for a living|for a job|all day))?/i,
    "~work"
  ],
  [
    new RegExp(
      String.raw`\bwhat (?:does|did|do) (?:my|our) (?:\p{L}+ ){1,4}do\b(?! (?:in|on|at|when|after|if|` +
        String.raw`with)\b)(?: for (?:a living|work))?`,
      "iu"
    ),
    "~work"
  ],
  [/\bin my (?:free|spare) time\b/i, "~hobby"],
  [/\bhow old\b|\bwie alt\b/i, "~age"],
  [/\bwho (?:do|did) i live with\b|\bmit wem wohne ich\b/i, "~flatmate"],
  [/\bfrom (?:which|what) (?:city|town|country|place|village|part)\b/i, "~origin"],
  [
    /\bwhere (?:am|are|is|do|does|did) (?:\p{L}+ ){1,4}(?:come )?from\b|\bwoher\b|\bde onde\b|\bde dónde\b/iu,
    "~origin"
  ],
  [/(?<!\p{L})o que (?:é que )?(?:eu )?(?:faço|faz)(?!\p{L})|(?<!\p{L})qué hace(?!\p{L})/iu, "~work"]
]
const TOLD: Phrases = [
  ...BOTH,
  [/\b(?:my|our) (?:own |new |little )?place\b/i, "~home"],
  [/\b(?:lost my job|laid off|made redundant)\b/i, "~work~unemployed"],
  [/\b(?:youngest|oldest|eldest|middle|one|last) of (?:two|three|four|five|six|seven|eight|nine|ten|\d)\b/i, "~family"],
  [/\bat (?:[1-9]\d|\p{L}{3,5}teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)\W*$/iu, "~age"],
  [
    new RegExp(
      String.raw`(?:\bis|\bwas|['’]s|\bam|['’]m|\bim) an? (?:\p{L}{2,15} )?` +
        String.raw`(?!(?:sister|brother|mother|father|daughter|teenager|vegetarian|winner|member|lover|loner|` +
        String.raw`stranger|` +
        String.raw`beginner|number|monster|disaster|runner|smoker|killer|leader|player|survivor|liar|widower|giant|` +
        String.raw`terror|error|horror|mirror|woman|man)\b)` +
        String.raw`\p{L}{2,15}(?:er|or|ist|ian|eer|ant|man|woman|smith)\b`,
      "iu"
    ),
    "~work"
  ],
  [/(?:\bcomes?|\bcame|\bam|['’]m|\bim|\bis|\bwas|['’]s) (?:originally )?from \p{Lu}/u, "~origin"],
  [
    new RegExp(
      String.raw`\bi (?:fix|repair|install|sell|build|deliver|design|manage|` +
        String.raw`drive (?:an? |the )?(?:bus|coach|lorry|taxi|train|truck|tram|cab|crane))\b`,
      "i"
    ),
    "~work"
  ],
  [
    new RegExp(
      String.raw`(?:['’]s|['’]m|\bshes|\bhes|\bim|\bis|\bam|\bturn(?:ed|s|ing)?|\baged|\bbin|\bist|\bwird|\btem|` +
        String.raw`\btenho|\btengo|\btiene) \d{1,3}\b(?!\s?(?:%|min|hours?|km|o['’]clock|am|pm|kids|people))`,
      "iu"
    ),
    "~age"
  ],
  [
    new RegExp(
      String.raw`(?:['’]s|['’]m|\bim|\bis|\bam|\bturn(?:ed|s|ing)?|\baged)(?: just| only| now)? (?:two|three|four|` +
        String.raw`five|` +
        String.raw`six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|` +
        String.raw`fif|six|seven|eigh|nine)ty(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?)` +
        String.raw`(?= years?(?: old)?\b| now\b| and\b|[.,!]|$)`,
      "iu"
    ),
    "~age"
  ]
]

const READ_CHARS = 2_000
const MAX_MARKS = 16

/** "girlfriends" stands for "girlfriend's", too, because apostrophes are left out of words. */
const lookedUp = (word: string): Entry | undefined =>
  LEXICON.get(word) ?? LEXICON.get(word.replaceAll("ß", "ss")) ?? LEXICON.get(word.replace(/s$/, ""))

/** What one word asks for. */
export const marksOf = (word: string): ReadonlyArray<TopicMark> => lookedUp(word)?.asked ?? []

const marksIn = (
  text: string,
  words: ReadonlyArray<string>,
  of: (entry: Entry) => ReadonlyArray<TopicMark>,
  phrases: Phrases
): ReadonlySet<TopicMark> => {
  const marks = new Set<TopicMark>()
  for (const word of words) {
    const entry = lookedUp(word)
    if (entry === undefined) continue
    for (const mark of of(entry)) if (marks.size < MAX_MARKS) marks.add(mark)
  }
  for (const [pattern, ...of] of phrases) if (pattern.test(text)) for (const mark of of) marks.add(mark)
  return marks
}

/** What a text is about, for questions to find it. `words`: its words, see `terms`. */
export const topicsTold = (text: string, words = terms(text.slice(0, READ_CHARS))): ReadonlySet<TopicMark> =>
  marksIn(text.slice(0, READ_CHARS), words, ({ told }) => told, TOLD)

/** What a question asks for by its wording, each as marks of which one is enough, and the words that are left. */
export const askedByPhrase = (
  question: string
): { readonly asked: ReadonlyArray<ReadonlyArray<TopicMark>>; readonly rest: string } => {
  let rest = question.slice(0, READ_CHARS)
  const asked: Array<ReadonlyArray<TopicMark>> = []
  for (const [pattern, ...marks] of ASKED) {
    if (!pattern.test(rest)) continue
    asked.push(marks)
    rest = rest.replace(pattern, " ")
  }
  return { asked, rest }
}

/** Everything that a question asks for. */
export const topicsAsked = (question: string): ReadonlySet<TopicMark> => {
  const { asked, rest } = askedByPhrase(question)
  return new Set([...asked.flat(), ...terms(rest).flatMap(marksOf)])
}
