import type { Utterance } from "../../retrieval/Transcript.ts"
import { hasWholeWord } from "../../wholeWords.ts"
import type { Fact } from "./Fact.ts"
import { SUBJECT } from "./factPatterns.ts"
import { isQuestion } from "./questions.ts"
import { shortAnswer } from "./shortAnswer.ts"
import { NOTE, statement } from "./statement.ts"
import { toldFacts } from "./toldFacts.ts"
import { kin } from "./topics.ts"

/**
 * What the person has said about themselves, extracted from their messages by rule. Every first-person sentence is a
 * fact. If a pattern recognizes more in it, that is a fact too. Values are short and plain, because the character
 * repeats them.
 */

const SENTENCES = new RegExp(
  String.raw`(?<=[.!?…;])\s+|\n+|,\s+(?=(?:and |but )?i(?:'?m|'?ve)? )|` +
    String.raw`(?<!\s)\s+(?:and|but)\s+(?=(?:i(?:'?m|'?ve)?|my|we|her name|his name|she'?s called|he'?s called) )`,
  "i"
)
const FIRST_PERSON = new RegExp(
  String.raw`\b(?:i|i'?m|i'?ve|i'd|i'll|my|we|we're|we've|our)\b|(?<!\p{L})` +
    String.raw`(?:eu|meus?|minhas?|chamo-me|sou|moro|vivo|tenho|gosto|adoro|trabalho)(?!\p{L})`,
  "iu"
)
const CALL_ME = /^\W*(?:(?:please|just|and|but|so|everyone|people|friends|you can|you may),? )*calls? me \p{L}/iu
const ADDRESSED = /\b(?:you|your|yours|u|ur)\b/i
/** Nobody says more about themselves in one message than this many characters. */
const READ_CHARS = 1000
const MAX_QUOTE_CHARS = 140
const UNQUOTABLE = /[<>{}[\]|\\@#*_`"“”]|:\/\/|www\./

/** "My dog isn't called Rex": the extracted name is wrong. */
const NOT_NAMED = new RegExp(
  String.raw`\b(?:my|our) (?:name|${SUBJECT}(?:'s name)?) (?:isn't|isnt|is not|was not|wasn't)` +
    String.raw`(?: called| named)? (\p{L}[\p{L}'-]*)`,
  "iu"
)
const THIRD_PERSON = /^(?:he|she|it|they|his|her|their|its)(?:'s|'re)?\s+\p{L}+/iu

const quotable = (sentence: string): boolean => sentence.length <= MAX_QUOTE_CHARS && !UNQUOTABLE.test(sentence)

/** Reads messages in order, because a short answer depends on the question before it. */
class Reader {
  readonly facts: Array<Fact> = []
  #askedByCharacter = ""
  #askedByPerson = ""
  /** What a pronoun would refer to. */
  #last: Fact | undefined

  read({ role, text: whole, cursor }: Utterance): void {
    const text = whole.slice(0, READ_CHARS)
    if (role === "character") {
      this.#askedByCharacter = whole.slice(-READ_CHARS)
      return
    }
    for (const sentence of text.split(SENTENCES).map((part) => part.trim())) {
      if (sentence !== "" && quotable(sentence) && !isQuestion(sentence)) this.#take(sentence, cursor)
    }
    if (isQuestion(text)) this.#askedByPerson = text
  }

  #take(sentence: string, cursor: number): void {
    const denied = NOT_NAMED.exec(sentence.replaceAll("’", "'"))
    if (denied !== null) {
      this.#unname(kin(denied[1] ?? ""), denied[2] ?? "")
      return
    }
    const short = shortAnswer(sentence, cursor, {
      askedByCharacter: this.#askedByCharacter,
      askedByPerson: this.#askedByPerson,
      last: this.#last,
      isNamed: (subject) => this.#isNamed(subject)
    })
    if (short !== undefined) {
      this.facts.push(short)
    } else if (
      (FIRST_PERSON.test(sentence) && !ADDRESSED.test(sentence)) ||
      CALL_ME.test(sentence) ||
      THIRD_PERSON.test(sentence) ||
      NOTE.test(sentence) ||
      this.#speaksOfSomeone(sentence)
    ) {
      const more = toldFacts(sentence, cursor)
      const said = statement(sentence, cursor)
      const whole =
        said.subject === "" && THIRD_PERSON.test(sentence) && this.#last !== undefined
          ? { ...said, subject: this.#last.subject }
          : said
      this.facts.push(...more, whole)
      this.#last =
        [...more, whole].find(({ topic }) => topic !== "other") ?? (whole.subject === "" ? this.#last : whole)
    } else {
      const { subject } = statement(sentence, cursor)
      if (subject !== "") this.#last = statement(sentence, cursor)
    }
  }

  /** Forgets a name and the sentences that state it. */
  #unname(subject: string, name: string): void {
    const kept = this.facts.filter(
      (fact) =>
        !(
          hasWholeWord(fact.quote.toLowerCase(), name.toLowerCase()) &&
          (fact.subject === subject || (subject === "" && fact.subject === "name"))
        )
    )
    this.facts.splice(0, this.facts.length, ...kept)
  }

  #isNamed(subject: string): boolean {
    return this.facts.some((fact) => fact.attribute === "name" && fact.subject === subject)
  }

  #speaksOfSomeone(sentence: string): boolean {
    return this.facts.some(
      ({ attribute, subject, value }) => attribute === "name" && subject !== "" && sentence.startsWith(`${value} `)
    )
  }
}

/** All facts of a conversation, oldest first. A later fact overrides an earlier one about the same thing. */
export const factsIn = (utterances: ReadonlyArray<Utterance>): ReadonlyArray<Fact> => {
  const reader = new Reader()
  for (const utterance of utterances) reader.read(utterance)
  return reader.facts
}
