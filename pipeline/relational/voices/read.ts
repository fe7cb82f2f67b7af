import type { About } from "../Relationship.ts"
import { type Clause, sentencesIn, type Sentence } from "./clauses.ts"
import { type Frame, frameIn, isOwnAgain, playedIn } from "./fiction.ts"
import { type Lexicon, lexiconFor, type Word, wordsIn } from "./lexicon.ts"
import { type Moods, moodsOf, PLAIN } from "./moods.ts"
import { quotationsIn, type Span } from "./quotations.ts"
import {
  follows,
  introduces,
  isOwnTurn,
  leadsToSpeech,
  reportedIn,
  resumes,
  speaksOther,
  speaksSelf
} from "./reporting.ts"
import { aboutOf, turnsIn } from "./speakers.ts"
import {
  antecedentIn,
  isNamedTogether,
  isOfOthers,
  People,
  PERSON,
  SOMEBODY,
  type Subject,
  subjectIn,
  someWho
} from "./subjectOf.ts"

/** Whose words a part of a message are, and whom it is about. */
export type Voice =
  | { readonly by: "person" }
  /** `speaks`: they are that person's words. */
  | { readonly by: "other"; readonly about: About | null; readonly speaks: boolean }
  | { readonly by: "character" }
  | { readonly by: "nobody"; readonly reason: "fiction" | "quotation" | "reported" | "forwarded" }

export interface Statement extends Span {
  readonly words: ReadonlyArray<Word>
  readonly voice: Voice
  readonly moods: Moods
}

const NOBODY = (reason: Extract<Voice, { by: "nobody" }>["reason"]): Voice => ({ by: "nobody", reason })
/** Verbs that only somebody else can be the subject of. */
const PAST_OF_OTHERS: Readonly<Record<string, RegExp>> = { es: /^\p{L}{2,}ó$/u, pt: /^\p{L}{2,}[eoi]u$/u }
const MAX_TITLE_WORDS = 6
/** Between what introduces a quotation and its mark. */
const MAX_GAP = 8

const voiceOf = (subject: Subject): Voice =>
  subject.who === "other"
    ? { by: "other", about: subject.about, speaks: false }
    : subject.who === "figure"
      ? NOBODY("fiction")
      : { by: subject.who }

class Reader {
  readonly statements: Array<Statement> = []
  readonly #text: string
  readonly #lexicon: Lexicon
  readonly #people = new People()
  readonly #played: ReadonlyArray<Span>
  readonly #quotations: ReadonlyArray<Span>
  /** The text with spaces in place of speech and of what is played. */
  readonly #masked: string
  #frame: Frame | null = null
  /** Who the last quotation was of: "..., he said. ..." */
  #quoted: Voice | null = null
  #subject: Subject = PERSON

  constructor(text: string) {
    this.#text = text
    this.#lexicon = lexiconFor(text)
    this.#played = playedIn(text).filter((span) =>
      wordsIn(text.slice(span.start, span.end)).some((word) => this.#lexicon.has("self", word))
    )
    this.#quotations = quotationsIn(text).filter((one) => this.#isSpeech(one))
    this.#masked = this.#withoutHidden()
  }

  read(own: string | null): ReadonlyArray<Statement> {
    const turns = turnsIn(this.#text, own)
    let from: number | null = null
    // Lines of the person that follow each other are read as one.
    for (const [n, { start, end, speaker }] of turns.entries()) {
      if (speaker === null) {
        from ??= start
        const next = turns[n + 1]
        if (next?.speaker === null && next.start <= end + 1) continue
        this.#readOwn({ start: from, end })
        from = null
        continue
      }
      this.#readOther({ start, end }, speaker)
    }
    return this.statements
  }

  #readOther(span: Span, speaker: string): void {
    const about = speaker === "" ? null : aboutOf(speaker, this.#lexicon)
    this.#people.mention(about)
    this.#subject = SOMEBODY
    this.#add(span, about === null ? NOBODY("forwarded") : { by: "other", about, speaks: true })
  }

  #add(span: Span, voice: Voice, moods: Moods = PLAIN): void {
    const words = wordsIn(this.#text.slice(span.start, span.end))
    this.statements.push({ start: span.start, end: span.end, words, voice, moods })
  }

  /** Whether words in quotation marks are speech, and no title or nickname. */
  #isSpeech({ start, end }: Span): boolean {
    const inner = this.#text.slice(start + 1, end - 1)
    const words = wordsIn(inner)
    const before = wordsIn(this.#text.slice(Math.max(0, start - 40), start)).slice(-3)
    return (
      words.length > MAX_TITLE_WORDS ||
      words.some((word) => ["self", "mine", "object", "verb1"].some((list) => this.#lexicon.has(list, word))) ||
      (words.length > 1 && /[.!?]\s*$/.test(inner)) ||
      (words.length > 1 && /:\s*$/.test(this.#text.slice(Math.max(0, start - 3), start))) ||
      before.some((word) => this.#lexicon.has("report", word))
    )
  }

  #withoutHidden(): string {
    const units = this.#text.split("")
    for (const { start, end } of [...this.#quotations, ...this.#played]) {
      const ends = /[.!?…]["'”“’»›]$/.test(this.#text.slice(end - 2, end))
      const next = /^\s*(\S)/.exec(this.#text.slice(end, end + 4))?.[1] ?? ""
      units.fill(" ", start, end)
      if (ends && /\p{Lu}|["“„«]/u.test(next)) units[end - 1] = "."
    }
    return units.join("")
  }

  /** A stretch of the person's own words, which may quote others. */
  #readOwn(span: Span): void {
    const isInside = (one: Span) => one.start >= span.start && one.start < span.end
    const quotations = this.#quotations.filter(isInside)
    const clauses: Array<{ readonly clause: Clause; readonly subject: Subject }> = []
    const sentences = sentencesIn(this.#masked, span, this.#lexicon)
    let waiting = [...quotations]
    let isReportOn = false
    for (const [n, sentence] of sentences.entries()) {
      const until = sentences[n + 1]?.start ?? span.end
      if (
        sentence.opensParagraph ||
        isOwnAgain(sentence, this.#lexicon) ||
        isOwnTurn(sentence, this.#lexicon) ||
        resumes(sentence, this.#lexicon)
      )
        isReportOn = false
      const taken = waiting.filter(({ start }) => start < until)
      const subjects = this.#readSentence(sentence, isReportOn)
      for (const [place, clause] of sentence.clauses.entries())
        clauses.push({ clause, subject: subjects[place] ?? PERSON })
      for (const quotation of taken) this.#readQuotation(quotation, clauses.slice(-sentence.clauses.length - 2))
      waiting = waiting.slice(taken.length)
      const last = sentence.clauses.at(-1)!
      isReportOn ||= this.#opensReport(sentence, subjects) && !taken.some(({ start }) => start >= last.end)
    }
    for (const quotation of waiting) this.#readQuotation(quotation, clauses.slice(-2))
    for (const one of this.#played.filter(isInside)) this.#add(one, NOBODY("fiction"))
  }

  /** "She wrote: ..." without quotation marks: what follows is hers, to the end of the paragraph. */
  #opensReport({ clauses }: Sentence, subjects: ReadonlyArray<Subject>): boolean {
    return clauses.some(
      (clause, n) =>
        leadsToSpeech(clause, clauses[n + 1], this.#lexicon) ||
        (subjects[n]?.who !== "person" && introduces(clause, this.#lexicon) && /:/.test(clauses[n + 1]?.joint ?? ""))
    )
  }

  #readSentence(sentence: Sentence, isReportOn: boolean): ReadonlyArray<Subject> {
    const { clauses } = sentence
    const explicit: Array<Subject | null> = []
    const subjects: Array<Subject> = []
    let beforeRelative: Subject | null = null
    for (const [n, { words, joint }] of clauses.entries()) {
      const [first] = words
      const before = clauses[n - 1]
      // "I told my boss that ..."
      const isTold =
        /^(?:que|that)$/.test(first?.low ?? "") &&
        before?.words.some((word) => this.#lexicon.has("report", word)) === true
      const antecedent =
        before !== undefined && first !== undefined && this.#lexicon.has("relative", first) && !isTold
          ? (antecedentIn(before.words, this.#lexicon) ?? someWho(first, before, subjects[n - 1]!))
          : null
      let named = subjectIn(antecedent === null ? words : words.slice(1), this.#lexicon, this.#people)
      if (antecedent !== null && named === null) {
        beforeRelative = subjects[n - 1] ?? null
        named = { who: "other", about: antecedent }
      } else if (named === null && beforeRelative !== null && /,/.test(joint)) {
        named = beforeRelative
        beforeRelative = null
      }
      if (
        named === null &&
        ((n === 0 && isNamedTogether(clauses, this.#lexicon)) ||
          (!words.some((word) => this.#lexicon.has("professional", word)) &&
            (speaksOther(words, this.#lexicon) || isOfOthers(words, this.#lexicon))))
      )
        named = SOMEBODY
      explicit.push(named)
      const subject = named ?? (n > 0 ? subjects[n - 1]! : this.#withoutSubject(words))
      subjects.push(subject)
      if (subject.who === "other") this.#people.mention(subject.about)
      else this.#people.mention(this.#mentionedIn(words))
    }
    this.#subject = subjects.find((_, n) => explicit[n] !== null) ?? subjects[0] ?? PERSON
    const moods = moodsOf(sentence, explicit, this.#lexicon)
    const reported = reportedIn(clauses, subjects, this.#lexicon, (from, to) =>
      this.#quotations.some(({ start }) => start >= from && start < to)
    )
    const opened = frameIn(sentence, subjects, this.#lexicon)
    const saysI = subjects.some(({ who }, n) => who === "person" && explicit[n] !== null)
    if (opened !== null) this.#frame = opened
    else if (this.#frame !== null && (isOwnAgain(sentence, this.#lexicon) || (this.#frame.hasHero && saysI)))
      this.#frame = null
    for (const [n, clause] of clauses.entries()) {
      const subject = subjects[n]!
      const report = reported[n] ?? null
      const voice =
        this.#frame !== null
          ? NOBODY("fiction")
          : subject.who === "person" && (report !== null || isReportOn)
            ? NOBODY("reported")
            : voiceOf(subject)
      this.#add(clause, voice, moods[n])
    }
    return subjects
  }

  /** "I love my sister Nadia. She ..." */
  #mentionedIn(words: ReadonlyArray<Word>): About | null {
    const at = words.findLastIndex((word) => this.#lexicon.relation(word) !== undefined)
    return at < 0
      ? null
      : (antecedentIn(words.slice(0, at + 2), this.#lexicon) ?? antecedentIn(words.slice(0, at + 1), this.#lexicon))
  }

  /** "Lives in Riga." after a sentence about somebody else is about them. "Love football." is about the person. */
  #withoutSubject(words: ReadonlyArray<Word>): Subject {
    const first = words.find((word) => !this.#lexicon.has("opener", word) || this.#lexicon.has("verb3", word))
    return this.#subject.who === "other" &&
      first !== undefined &&
      (this.#lexicon.has("verb3", first) || PAST_OF_OTHERS[this.#lexicon.language]?.test(first.low) === true) &&
      !this.#lexicon.has("verb1", first)
      ? this.#subject
      : PERSON
  }

  #readQuotation(quotation: Span, near: ReadonlyArray<{ readonly clause: Clause; readonly subject: Subject }>): void {
    const isAdjacent = (from: number, to: number) =>
      from <= to && to - from <= MAX_GAP && !/[\p{L}\p{N}]/u.test(this.#text.slice(from, to))
    const reports = ({ clause }: { readonly clause: Clause }) =>
      clause.words.some((word) => this.#lexicon.has("report", word))
    const before = near.find(
      (one) =>
        isAdjacent(one.clause.end, quotation.start) &&
        !/[.!?]/.test(this.#text.slice(one.clause.end, quotation.start)) &&
        (reports(one) || /:/.test(this.#text.slice(one.clause.end, quotation.start)))
    )
    const after = near.find(
      (one) => isAdjacent(quotation.end, one.clause.start) && (follows(one.clause, this.#lexicon) || reports(one))
    )
    const by = before ?? after
    const isOwn = by?.subject.who === "person" && reports(by) && speaksSelf(by.clause, this.#lexicon)
    if (isOwn && this.#frame === null) {
      const inner = { start: quotation.start + 1, end: quotation.end - 1 }
      for (const sentence of sentencesIn(this.#text, inner, this.#lexicon)) this.#readSentence(sentence, false)
      this.#quoted = { by: "person" }
      return
    }
    const voice: Voice =
      this.#frame !== null
        ? NOBODY("fiction")
        : by !== undefined && by.subject.who === "other" && by.subject.about !== null
          ? { by: "other", about: by.subject.about, speaks: true }
          : by === undefined && this.#quoted !== null && this.#quoted.by === "other"
            ? this.#quoted
            : NOBODY("quotation")
    this.#quoted = voice
    this.#add(quotation, voice)
  }
}

/** What is read of a message. */
export const READ_CHARS = 6_000

/** A message as statements in order. `own`: the person's name. */
export const readVoices = (text: string, own: string | null): ReadonlyArray<Statement> =>
  new Reader(text.slice(0, READ_CHARS)).read(own)
