import type { Utterance } from "../../retrieval/Transcript.ts"
import { hasWholeWord } from "../../wholeWords.ts"
import { isOwnVoice } from "../voices/judge.ts"
import { answerTo } from "./answerTo.ts"
import { isCorrection } from "./corrections.ts"
import { completed } from "./ellipsis.ts"
import type { Fact } from "./Fact.ts"
import {
  FIRST_PERSON,
  ADDRESSED,
  DOES_TO_ME,
  TO_THE_CHARACTER,
  READ_CHARS,
  MAX_QUOTE_CHARS,
  UNQUOTABLE,
  QUOTES,
  NOT_NAMED,
  DEFINITE,
  IT,
  THERE,
  THEY_GAVE_ME,
  ITS_MINE
} from "./factSigns.ts"
import { CALLED, INTRODUCED, NAMED_BY_PRONOUN, THERE_IS } from "./factPatterns.ts"
import { unhedged } from "./hedges.ts"
import { isFigurative } from "./images.ts"
import { isKept } from "./isKept.ts"
import { Mentions } from "./Mentions.ts"
import {
  isAsking,
  isCommand,
  isHypothetical,
  isQuotation,
  isRetraction,
  isTalk,
  isUnreal,
  tellingWords
} from "./notFacts.ts"
import { goesOnUnreal } from "./passing.ts"
import { isPlanOfOthers } from "./plansOfOthers.ts"
import { clausesOf, sentencesOf, withoutFinalStop } from "./sentences.ts"
import { shortAnswer } from "./shortAnswer.ts"
import { withCapitalNames } from "./lowerCaseNames.ts"
import { NOTE, statement } from "./statement.ts"
import {
  endsWithThem,
  namesIn,
  pronounOf,
  resolved,
  severalIn,
  SOMEBODY,
  STRANGER,
  strangerIn,
  type Found,
  type Subject,
  subjectIn,
  withApostrophes
} from "./subjects.ts"
import { toldInQuestion } from "./toldInQuestions.ts"
import { toldFacts } from "./toldFacts.ts"
import { kin, topicOf } from "./topics.ts"

/**
 * What the person has said about themselves and their life, sentence by sentence and by rule, in words that can be
 * understood on their own. If a pattern recognizes more in it, that is a fact too.
 */

const MAX_ADDED_WORDS = 5
const isSaidUnreal = (sentence: string): boolean => isUnreal(sentence) || isUnreal(unhedged(sentence))

/** Reads messages in order: a pronoun or a short answer depends on what came before it. */
class Reader {
  readonly facts: Array<Fact> = []
  readonly #mentions = new Mentions()
  #askedByCharacter = ""
  #askedByPerson = ""
  /** The last fact, and the sentence that told it. */
  #before: { readonly text: string; readonly sentence: number; readonly cursor: number } | null = null
  /** The messages whose facts a retraction takes back: the one before it, and its own. */
  #lately: ReadonlyArray<number> = []
  /** The last sentence about what would be. */
  #unreal = Number.NEGATIVE_INFINITY

  read({ role, text: whole, cursor }: Utterance): void {
    const text = whole.slice(0, READ_CHARS)
    if (role === "character") {
      this.#askedByCharacter = whole.slice(-READ_CHARS)
      return
    }
    let asked = ""
    this.#lately = [...this.#lately.slice(-1), cursor]
    for (const sentence of sentencesOf(text)) {
      this.#mentions.sentence += 1
      if (isCorrection(sentence)) this.#mentions.mention(SOMEBODY)
      if (isRetraction(sentence)) {
        this.#retract()
        continue
      }
      if (isAsking(unhedged(sentence)) || isAsking(sentence)) {
        const told = toldInQuestion(sentence)
        if (told !== null) this.#take(told.sentence, cursor, told.quote)
        else {
          asked = sentence
          this.#mentions.mention(subjectIn(sentence))
        }
      } else if (
        !isQuotation(sentence) &&
        !isSaidUnreal(sentence) &&
        !(this.#unreal === this.#mentions.sentence - 1 && goesOnUnreal(sentence)) &&
        !isFigurative(sentence) &&
        !isCommand(unhedged(sentence))
      )
        for (const clause of clausesOf(sentence)) this.#take(clause, cursor)
      else {
        if (isSaidUnreal(sentence)) this.#unreal = this.#mentions.sentence
        this.#mentions.mention(subjectIn(sentence) ?? this.#mentions.about(sentence) ?? strangerIn(sentence))
      }
    }
    if (asked !== "") this.#askedByPerson = asked
    // A question is answered once.
    this.#askedByCharacter = ""
  }

  #take(said: string, cursor: number, quote = said): void {
    if (said.length > MAX_QUOTE_CHARS || UNQUOTABLE.test(said)) return
    const clause = withCapitalNames(withApostrophes(said))
    const denied = NOT_NAMED.exec(clause.replaceAll("’", "'"))
    if (denied !== null) {
      this.#unname(kin(denied[1] ?? ""), denied[2] ?? "")
      return
    }
    const pronoun = pronounOf(clause)
    const last = pronoun !== null && this.#mentions.meant(pronoun)?.noun === STRANGER ? null : this.#mentions.last()
    const called = CALLED.exec(clause)?.[1]
    if (called !== undefined && last !== null) {
      const fact: Fact = {
        ...this.#factOf(last, cursor),
        attribute: "name",
        value: called,
        quote,
        text: `my ${last.noun} is called ${called}`
      }
      this.#mentions.learnName(fact)
      this.facts.push(fact)
      return
    }
    const short = shortAnswer(clause, cursor, {
      askedByCharacter: this.#askedByCharacter,
      askedByPerson: this.#askedByPerson,
      last: last === null ? undefined : this.#factOf(last, cursor),
      isNamed: (subject) => this.#isNamed(subject)
    })
    if (short !== undefined) {
      this.#mentions.learnName(short)
      this.facts.push({ ...short, quote })
      return
    }
    const bare = unhedged(clause).replace(QUOTES, "")
    if (isUnreal(bare) || isCommand(bare) || isAsking(bare)) return
    if (isHypothetical(bare)) {
      this.#mentions.mention(subjectIn(bare))
      return
    }
    const there = THERE_IS.exec(bare)?.[1]
    if (there !== undefined) {
      this.#mentions.mention({ noun: there, span: `the ${there}`, name: null, gender: "either" })
      return
    }
    const subject = subjectIn(bare) ?? (THERE.test(bare) ? subjectIn(`there's ${bare.split(" and ").at(-1)}`) : null)
    const text = this.#selfContained(bare, subject) ?? this.#continued(bare, cursor)
    if (
      text === null ||
      isPlanOfOthers(bare, subject, this.#mentions) ||
      !isKept({ said, bare, text }, this.#askedByCharacter, this.#mentions)
    ) {
      this.#mentions.mention(subject ?? this.#mentions.about(bare) ?? strangerIn(bare))
      return
    }
    // A pronoun was replaced by a name that is known already.
    const more = toldFacts(text, quote, cursor).filter(
      ({ attribute, subject, value }) => attribute !== "name" || subject === "" || !this.#isNamed(subject, value)
    )
    const stated = { ...statement(text, cursor), quote, text }
    const about = subject ?? this.#mentions.about(bare)
    const whole: Fact =
      about === null || stated.subject !== "" ? stated : { ...stated, subject: about.noun, topic: topicOf(about.noun) }
    this.facts.push(...more, whole)
    this.#before = { text, sentence: this.#mentions.sentence, cursor }
    this.#mentions.mention(severalIn(bare))
    this.#mentions.mention(subject)
    const named = subject ?? this.#mentions.last()
    if (named !== null) for (const name of namesIn(bare)) this.#mentions.name(name, named)
    for (const fact of more) this.#mentions.learnName(fact)
  }

  /** What a clause says, in words that can be understood on their own. Null if it is not about the person's life. */
  #selfContained(bare: string, subject: Found | null): string | null {
    const telling = tellingWords(bare)
    const answer = answerTo(this.#askedByCharacter, bare)
    if (answer !== null) return answer
    const introduced = INTRODUCED.map((pattern) => pattern.exec(bare)?.[1] ?? "").find((name) => name !== "")
    if (introduced !== undefined) return `my name is ${introduced}`
    if (telling.length === 0) return null
    if (TO_THE_CHARACTER.test(bare)) return null
    const genders = ITS_MINE.test(bare) ? null : pronounOf(bare)
    if (THEY_GAVE_ME.test(bare)) return bare
    if (genders !== null) {
      const meant =
        this.#mentions.meant(genders) ?? (NAMED_BY_PRONOUN.test(bare) ? (this.#mentions.last() ?? this.#told()) : null)
      if (IT.test(bare)) {
        const before = this.#before
        return before === null || this.#mentions.sentence - before.sentence > 1 || !DEFINITE.test(bare)
          ? null
          : `${withoutFinalStop(bare)} (${withoutFinalStop(before.text)})`
      }
      return meant === null || meant.noun === STRANGER ? null : resolved(bare, meant)
    }
    if (isTalk(bare) && !ITS_MINE.test(bare)) return null
    if (subject?.atTheStart === true) {
      const own = new Set(tellingWords(subject.span))
      const isNew = subject.name !== null && !this.#mentions.knows(subject.name)
      if (telling.every((word) => own.has(word)) && !isNew && !/\d/.test(bare)) return null
      const whole =
        /^(?:my|our) /iu.test(subject.span) && !FIRST_PERSON.test(bare.slice(0, subject.span.length))
          ? `my ${bare}`
          : bare
      const before = this.#before
      return before !== null && this.#mentions.sentence - before.sentence <= 1 && endsWithThem(whole)
        ? `${withoutFinalStop(whole)} (${withoutFinalStop(before.text)})`
        : whole
    }
    const full = completed(bare)
    if (full !== null) return isTalk(full) ? null : this.#mentions.withObject(full)
    if (FIRST_PERSON.test(bare))
      return telling.length < 2 && ADDRESSED.test(bare) ? null : this.#mentions.withObject(bare)
    if (NOTE.test(bare) || (DOES_TO_ME.test(bare) && telling.length > 1) || (THERE.test(bare) && subject?.name != null))
      return bare
    const about = this.#mentions.about(bare)
    return about === null ? null : about.isNew ? `${withoutFinalStop(bare)} (${about.span})` : bare
  }

  /** "our car broke down. old Skoda": a few words that add to the sentence before them. */
  #continued(bare: string, cursor: number): string | null {
    const before = this.#before
    return before === null ||
      before.cursor !== cursor ||
      before.sentence !== this.#mentions.sentence - 1 ||
      bare.split(/\s+/).length > MAX_ADDED_WORDS ||
      tellingWords(bare).length === 0 ||
      isTalk(bare) ||
      TO_THE_CHARACTER.test(bare)
      ? null
      : `${withoutFinalStop(before.text)}, ${bare}`
  }

  /** What the last fact is about. */
  #told(): Subject | null {
    const noun = this.facts.at(-1)?.subject ?? ""
    return noun === "" ? null : { noun, span: `my ${noun}`, name: null, gender: "either" }
  }

  #factOf({ noun }: Subject, cursor: number): Fact {
    return { subject: noun, attribute: "statement", topic: topicOf(noun), value: "", quote: "", text: "", cursor }
  }

  /** "kidding": forgets what was just said. */
  #retract(): void {
    const kept = this.facts.filter(({ cursor }) => !this.#lately.includes(cursor))
    this.facts.splice(0, this.facts.length, ...kept)
    this.#before = null
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

  #isNamed(subject: string, name?: string): boolean {
    return this.facts.some(
      (fact) => fact.attribute === "name" && fact.subject === subject && (name === undefined || fact.value === name)
    )
  }
}

/** All facts of a conversation, oldest first. A later fact overrides an earlier one about the same thing. */
export const factsIn = (utterances: ReadonlyArray<Utterance>): ReadonlyArray<Fact> => {
  const reader = new Reader()
  for (const utterance of utterances) reader.read(utterance)
  const messages = new Map(utterances.map(({ cursor, text }) => [cursor, text]))
  return reader.facts.filter(({ cursor, quote }) => isOwnVoice(messages.get(cursor) ?? "", quote, null))
}
