import type { About } from "../Relationship.ts"
import { inAnyLanguage, isCapital, type Lexicon, lexiconFor, relationIn, type Word, wordsIn } from "./lexicon.ts"
import type { Span } from "./quotations.ts"
import { READ_CHARS, readVoices, type Statement } from "./read.ts"
import { memoize } from "../../memoize.ts"

/** What an extraction says of somebody. */
export interface Claim {
  readonly subject: "user" | "character" | "third_party"
  readonly text: string
  readonly quote: string
}

export type Refusal =
  | "fiction"
  | "quotation"
  | "reported"
  | "forwarded"
  | "question"
  | "condition"
  | "wish"
  | "denied"
  | "of_another"

export type Verdict =
  | { readonly kind: "person" }
  | { readonly kind: "character" }
  | { readonly kind: "about"; readonly about: About | null; readonly speaks: boolean }
  | { readonly kind: "refused"; readonly reason: Refusal }

const KEPT: Verdict = { kind: "person" }
const refused = (reason: Refusal): Verdict => ({ kind: "refused", reason })

const MAX_PLACES = 5
const MIN_STEM = 3
/** Words that tell nothing of what is claimed. */
const EMPTY = new Set(
  (
    "a an the in on at of to is are am was were be been and or with for by he she they it its their his " +
    "her user person i my me i'm im der die das ein eine in im am ist sind war und mit für er sie es ich mein " +
    "meine mich bin el la los las un una en de del es era y con por para yo mi soy me o os as um uma no na do da " +
    "é e com eu meu minha sou que"
  ).split(" ")
)
const HAVE = /^(?:has|have|had|having|hat|habe|hatte|haben|tiene|tengo|tenía|tem|tenho|tinha)$/

const plain = (text: string): string => text.toLowerCase().replaceAll("’", "'").replace(/\s+/g, " ").trim()

/** A history is read with every turn. */
const REMEMBERED = 500
const read = memoize(REMEMBERED, (key) => {
  const [own = "", ...lines] = key.split("\n")
  return readVoices(lines.join("\n"), own === "" ? null : own)
})
const statementsOf = (text: string, own: string | null) => read(`${own?.replaceAll("\n", " ") ?? ""}\n${text}`)

/** Where a quote stands in a text, whatever its spaces and capitals. */
const placesOf = (quote: string, text: string): ReadonlyArray<Span> => {
  const words = plain(quote)
  if (words === "") return []
  let shown = ""
  const at: Array<number> = []
  for (let n = 0; n < text.length; n += 1) {
    const unit = text[n]!
    const low = /\s/.test(unit) ? " " : unit.toLowerCase().replace("’", "'")
    if (low === " " && shown.endsWith(" ")) continue
    shown += low
    for (let k = 0; k < low.length; k += 1) at.push(n)
  }
  const places: Array<Span> = []
  for (let from = shown.indexOf(words); from >= 0 && places.length < MAX_PLACES; from = shown.indexOf(words, from + 1))
    places.push({ start: at[from]!, end: at[from + words.length - 1]! + 1 })
  return places
}

const isSame = (one: string, other: string): boolean => {
  if (HAVE.test(one) && HAVE.test(other)) return true
  const most = Math.min(one.length, other.length)
  const stem = most <= MIN_STEM ? most : Math.max(MIN_STEM, most - 2)
  return Math.abs(one.length - other.length) <= 4 && one.slice(0, stem) === other.slice(0, stem)
}

const telling = (words: ReadonlyArray<Word>): ReadonlyArray<string> =>
  words.map(({ low }) => low).filter((word) => !EMPTY.has(word))

/** How many words of a claim are among these. */
const shared = (claimed: ReadonlyArray<string>, words: ReadonlyArray<Word>): number => {
  const said = [...new Set(telling(words))]
  return claimed.filter((word) => said.some((one) => isSame(one, word))).length
}

/** What a statement makes of a claim about the person. */
const ofStatement = (
  { voice, moods, words }: Statement,
  claim: ReadonlyArray<Word>,
  languages: ReadonlyArray<Lexicon>
): Verdict => {
  if (voice.by === "nobody") return refused(voice.reason)
  if (moods.supposes !== null) return refused(moods.supposes)
  const claimed = telling(claim)
  const mentions = (list: string) => languages.some((lexicon) => lexicon.find(list, claim) >= 0)
  const denied = new Set(words.slice(Math.max(moods.denied, 0)).map(({ low }) => low))
  // "I don't eat meat" says "vegetarian", but "I'm not vegetarian" does not.
  const deniesOtherwise = () =>
    languages.some((lexicon) => claim.some((word) => lexicon.has("negative", word) && !denied.has(word.low)))
  if (moods.wished >= 0 && !mentions("wish") && !mentions("would") && shared(claimed, words.slice(moods.wished)) > 0)
    return refused("wish")
  if (
    moods.denied >= 0 &&
    !mentions("negator") &&
    !deniesOtherwise() &&
    ((voice.by === "person" && shared(claimed, words) === 0) || shared(claimed, words.slice(moods.denied)) > 0)
  )
    return refused("denied")
  if (voice.by === "other" && voice.about === null && words.some((word) => inAnyLanguage("object", word))) return KEPT
  if (voice.by === "other") return { kind: "about", about: voice.about, speaks: voice.speaks }
  if (voice.by === "character")
    return words.some((word) => inAnyLanguage("object", word)) ? KEPT : { kind: "character" }
  return KEPT
}

const at = (statements: ReadonlyArray<Statement>, place: Span): ReadonlyArray<Statement> =>
  statements.filter(({ start, end }) => start < place.end && end > place.start)

/** The verdict of the statements that a quote covers: of those that say what is claimed. */
const ofPlace = (
  covered: ReadonlyArray<Statement>,
  claim: ReadonlyArray<Word>,
  languages: ReadonlyArray<Lexicon>
): Verdict => {
  const claimed = telling(claim)
  const verdicts = covered.map((statement) => ({
    verdict: ofStatement(statement, claim, languages),
    weight: shared(claimed, statement.words)
  }))
  const [first] = verdicts
  // The person adds it, or it is something between quotation marks that is no speech.
  if (first === undefined) return KEPT
  const best = Math.max(...verdicts.map(({ weight }) => weight))
  const kept = Math.max(0, ...verdicts.filter(({ verdict }) => verdict.kind === "person").map(({ weight }) => weight))
  if (best === 0) return verdicts.find(({ verdict }) => verdict.kind !== "person")?.verdict ?? KEPT
  return kept === best ? KEPT : (verdicts.find(({ weight }) => weight === best)?.verdict ?? KEPT)
}

/** Whom the text of a claim names, if the message only says "she". */
const namedIn = (words: ReadonlyArray<Word>): About | null => {
  const at = words.findIndex((word) => relationIn(word) !== undefined)
  const next = words[at + 1]
  return at < 0
    ? null
    : { name: next !== undefined && isCapital(next) ? next.raw : null, relation: relationIn(words[at]!) ?? null }
}

/** Whether the text of a claim is what was said, word for word. */
const retells = ({ text, quote }: Claim): boolean =>
  plain(text).replaceAll(/[.!]/g, "").endsWith(plain(quote).replaceAll(/[.!]/g, ""))

/** Whether the text of a claim names whom it is about. */
const names = (claim: Claim, words: ReadonlyArray<Word>, { name, relation }: About): boolean =>
  (name !== null && plain(claim.text).includes(name.toLowerCase())) ||
  words.some((word) => {
    const named = relationIn(word)
    return named !== undefined && (relation === named || relation?.endsWith(`'s ${named}`) === true)
  }) ||
  retells(claim)

/**
 * Whether the person says of themselves what is claimed, or of whom else. A claim about the person that rests on words
 * about somebody else is turned into one about them if its text names them, and refused otherwise.
 */
export const judge = (message: string, claim: Claim, own: string | null): Verdict => {
  const text = message.slice(0, READ_CHARS)
  const statements = statementsOf(text, own)
  const lexicon = lexiconFor(text)
  const languages = [lexicon, lexiconFor(claim.text)]
  const words = wordsIn(claim.text)
  const places = placesOf(claim.quote, text)
  // It is beyond what is read.
  if (places.length === 0 && message.length > READ_CHARS) return refused("of_another")
  const verdicts = places.map((place) => ofPlace(at(statements, place), words, languages))
  const verdict = verdicts.find(({ kind }) => kind === "person") ?? verdicts[0] ?? KEPT
  if (claim.subject !== "user") return verdict.kind === "character" ? KEPT : verdict
  if (verdict.kind === "character") return retells(claim) ? verdict : refused("of_another")
  if (verdict.kind !== "about") return verdict
  const about = verdict.about ?? namedIn(words)
  // The rules give the person's own words, in which "my sister" stands for "she".
  const isOfRules = !verdict.speaks && words.some((word) => lexicon.has("mine", word) || lexicon.has("self", word))
  if (isOfRules) return { ...verdict, about }
  if (about === null) return refused("of_another")
  const relation = verdict.about?.relation
  // "Has a dog called Rex" is about the person.
  if (
    HAVE.test(words.find(({ low }) => !EMPTY.has(low))?.low ?? "") &&
    relation != null &&
    words.some((word) => relationIn(word) === relation)
  )
    return KEPT
  return names(claim, words, about) ? { ...verdict, about } : refused("of_another")
}

/** Whether the words are the person's own, whatever they say with them. */
export const isOwnVoice = (message: string, quote: string, own: string | null): boolean => {
  const text = message.slice(0, READ_CHARS)
  const statements = statementsOf(text, own)
  const places = placesOf(quote, text)
  return (
    (places.length === 0 && message.length <= READ_CHARS) ||
    places.some((place) => {
      const covered = at(statements, place)
      const isOwn = ({ voice }: Statement) => voice.by !== "nobody" && !(voice.by === "other" && voice.speaks)
      return covered.length === 0 || covered.some(isOwn)
    })
  )
}
