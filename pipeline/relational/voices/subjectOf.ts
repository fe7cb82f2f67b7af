import type { Clause } from "./clauses.ts"
import { isCapital, type Lexicon, type Word } from "./lexicon.ts"
import type { About } from "../Relationship.ts"

/** Whom a clause is about, by its grammar. */

export type Subject =
  | { readonly who: "person" }
  | { readonly who: "character" }
  | { readonly who: "figure" }
  | { readonly who: "other"; readonly about: About | null }

export const PERSON: Subject = { who: "person" }
export const SOMEBODY: Subject = { who: "other", about: null }

/** Who has been mentioned so far. */
export class People {
  readonly #byName = new Map<string, About>()
  last: About | null = null

  mention(about: About | null): void {
    if (about === null) return
    this.last = about
    if (about.name !== null) this.#byName.set(about.name.toLowerCase(), about)
  }

  named({ low }: Word): About | undefined {
    return this.#byName.get(low.replace(/'s$/, ""))
  }
}

const MAX_ADJECTIVES = 3
const MAX_LEADING_WORDS = 7
/** German forms that no subject has. */
const OBLIQUE = /^(?:meine[mnrs]|unsere[mnrs]|seine[mnrs]|ihre[mnrs]|eine[mnrs]|de[mns])$/

const SUBJECTLESS_VERB = /^\p{L}{2,}e$/u

interface Related {
  readonly about: About
  readonly isFigure: boolean
}

/** The relation that a determiner at this place introduces: "my old friend Jack". */
const relatedAt = (words: ReadonlyArray<Word>, at: number, lexicon: Lexicon, people: People): Related | null => {
  const first = words[at]
  if (first === undefined || OBLIQUE.test(first.low)) return null
  const isMine = lexicon.has("mine", first)
  const isTheirs = lexicon.has("theirs", first)
  const isDetermined = isMine || isTheirs || lexicon.has("determiner", first)
  if (!isDetermined && !lexicon.has("bare", first)) return null
  for (let n = isDetermined ? at + 1 : at; n < words.length && n <= at + MAX_ADJECTIVES; n += 1) {
    const noun = words[n]!
    if (lexicon.has("self", noun) || lexicon.has("verb3", noun) || lexicon.has("preposition", noun)) return null
    if (lexicon.has("figure", noun)) return { about: { name: null, relation: null }, isFigure: true }
    const relation = lexicon.relation(noun)
    if (relation === undefined && !(isTheirs && n === at + 1 && !lexicon.has("verb1", noun))) continue
    if (relation === undefined) return { about: { name: people.last?.name ?? null, relation: null }, isFigure: false }
    const next = words[n + 1]
    const name = next !== undefined && isCapital(next) && !isKnownWord(next, lexicon) ? next.raw : null
    const whose = isTheirs ? (people.last?.name ?? people.last?.relation ?? null) : null
    return {
      about: {
        name: name?.replace(/['’]s$/, "") ?? null,
        relation: whose === null ? relation : `${whose}'s ${relation}`
      },
      isFigure: false
    }
  }
  return null
}

const KNOWN = ["self", "mine", "third", "second", "people", "opener", "verb3", "verb1", "preposition", "aux", "wh"]
const isKnownWord = (word: Word, lexicon: Lexicon): boolean =>
  KNOWN.some((list) => lexicon.has(list, word)) || lexicon.has("report", word)

const other = (about: About | null): Subject => ({ who: "other", about })

/** Whether nothing but openers, or a verb of a language that puts it first, stands before this place. */
const isLeading = (words: ReadonlyArray<Word>, at: number, lexicon: Lexicon): boolean => {
  const before = words.slice(0, at)
  const [first] = before
  return lexicon.language === "de"
    ? before.length < 4 && !(first !== undefined && SUBJECTLESS_VERB.test(first.low) && !lexicon.has("opener", first))
    : before.every((word) => lexicon.has("opener", word) || lexicon.has("report", word) || /\d|ly$/.test(word.low))
}

const nameAt = (words: ReadonlyArray<Word>, at: number, lexicon: Lexicon, people: People): Subject | null => {
  const word = words[at]
  if (word === undefined || !isCapital(word)) return null
  const known = people.named(word)
  if (known !== undefined) return other(known)
  if (isKnownWord(word, lexicon) || lexicon.has("determiner", word) || lexicon.relation(word) !== undefined) return null
  const length = words[at + 1] !== undefined && isCapital(words[at + 1]!) && words.length > at + 2 ? 2 : 1
  const verb = words[at + length]
  if (verb === undefined || !(lexicon.has("verb3", verb) || lexicon.has("report", verb))) return null
  // "Football makes me happy": a thing, of which the person speaks.
  const isOfPerson = words.some((one) => lexicon.has("object", one) || lexicon.has("mine", one))
  if (isOfPerson && !lexicon.has("report", verb)) return null
  const name = words
    .slice(at, at + length)
    .map(({ raw }) => raw)
    .join(" ")
  return other({ name, relation: null })
}

/** "que toco", "que busco": the first person, whatever the verb. */
const isAfterThat = (words: ReadonlyArray<Word>, at: number, lexicon: Lexicon): boolean =>
  /^(?:es|pt)$/.test(lexicon.language) &&
  words[at - 1]?.low === "que" &&
  /^\p{Ll}{3,}o$/u.test(words[at]!.low) &&
  !isKnownWord(words[at]!, lexicon) &&
  !["determiner", "theirs", "mine", "negator", "joiner"].some((list) => lexicon.has(list, words[at]!))

/** "An acquaintance of mine has ...", "the new one is ...": somebody or something that the person only speaks of. */
export const isOfOthers = (words: ReadonlyArray<Word>, lexicon: Lexicon): boolean => {
  const at = words.findIndex((word) => !lexicon.has("opener", word) || lexicon.has("determiner", word))
  const first = words[at]
  if (first === undefined || !lexicon.has("determiner", first)) return false
  const verb = words.findIndex((word, n) => n >= at + 2 && lexicon.has("verb3", word))
  return (
    verb >= 0 &&
    verb <= at + MAX_LEADING_WORDS &&
    !words
      .slice(at, verb)
      .some(
        (word, n) =>
          ["self", "verb1", "mine"].some((list) => lexicon.has(list, word)) ||
          (lexicon.has("object", word) && !lexicon.has("preposition", words[at + n - 1]!))
      )
  )
}

/** "Tom and Maria live in Ghent". */
export const isNamedTogether = ([first, second]: ReadonlyArray<Clause>, lexicon: Lexicon): boolean => {
  const [joiner, name, ...more] = second?.words ?? []
  const isUnknown = (word: Word) => isCapital(word) && !lexicon.words.has(word.low)
  return (
    first?.words.length === 1 &&
    isUnknown(first.words[0]!) &&
    joiner !== undefined &&
    /^(?:and|und|y|e)$/.test(joiner.low) &&
    name !== undefined &&
    isUnknown(name) &&
    more.length > 0 &&
    !more.some((word) => lexicon.has("mine", word) || lexicon.has("object", word))
  )
}

/** The subject that a clause names. Null: none, so it is that of the clause before it, or the person. */
export const subjectIn = (words: ReadonlyArray<Word>, lexicon: Lexicon, people: People): Subject | null => {
  for (const [at, word] of words.entries()) {
    const before = words[at - 1]
    const isAfterPreposition = before !== undefined && lexicon.has("preposition", before)
    if (lexicon.has("self", word)) return PERSON
    if (isAfterPreposition && !(lexicon.has("opener", before) && at === 1)) continue
    const next = words[at + 1]
    if (lexicon.has("third", word) && next !== undefined && lexicon.has("verb1", next)) return PERSON
    if (lexicon.has("third", word) && !(lexicon.language === "de" && word.low === "sie" && before?.low.endsWith("e")))
      return other(people.last)
    if (at > MAX_LEADING_WORDS) continue
    // "¿Te conté ...?"
    const isTold = word.low === "te" && next !== undefined && lexicon.has("verb1", next)
    if (lexicon.has("second", word) && !isTold && (at === 0 || isLeading(words, at, lexicon)))
      return { who: "character" }
    if (!isLeading(words, at, lexicon)) continue
    // "Me dicen que ..."
    if (word.low === "me" && next !== undefined && lexicon.has("report", next) && !lexicon.has("verb1", next)) continue
    // "War er da?"
    const isOfOther = next !== undefined && lexicon.has("third", next)
    if ((lexicon.has("verb1", word) || isAfterThat(words, at, lexicon)) && lexicon.language !== "en" && !isOfOther)
      return PERSON
    const related = relatedAt(words, at, lexicon, people)
    if (related !== null) return related.isFigure ? { who: "figure" } : other(related.about)
    if (lexicon.has("mine", word)) return PERSON
    if (lexicon.phrase("people", words, at) > 0) return SOMEBODY
    const named = nameAt(words, at, lexicon, people)
    if (named !== null) return named
  }
  return null
}

/** The relation that a relative clause after these words is about: "I have a sister who". */
export const antecedentIn = (words: ReadonlyArray<Word>, lexicon: Lexicon): About | null => {
  const tail = words.slice(-3)
  const at = tail.findLastIndex((word) => lexicon.relation(word) !== undefined)
  if (at < 0) return null
  const after = tail.slice(at + 1)
  if (after.some((word) => !isCapital(word))) return null
  return {
    name: after.length > 0 ? after.map(({ raw }) => raw).join(" ") : null,
    relation: lexicon.relation(tail[at]!) ?? null
  }
}

const MAX_SELF_WORDS = 6

/** "a nurse who ...", and not "I'm somebody who ...". */
export const someWho = (pronoun: Word, before: Clause, subject: Subject): About | null => {
  const isOfPerson =
    subject.who === "person" &&
    before.words.length <= MAX_SELF_WORDS &&
    /^(?:i'?m|i|am)$/.test(before.words.slice(0, 2).at(-1)?.low ?? "")
  return /^(?:who|whose)$/.test(pronoun.low) && !isOfPerson ? { name: null, relation: null } : null
}
