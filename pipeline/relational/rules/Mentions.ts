import type { Fact } from "./Fact.ts"
import { AGED, STARTS_WITH_A_NAME, WE_TWO } from "./factSigns.ts"
import { tellingWords } from "./notFacts.ts"
import { withoutFinalStop } from "./sentences.ts"
import { endsWithPronoun, STRANGER, type Subject } from "./subjects.ts"
import { topicOf } from "./topics.ts"

/** Sentences of the person after which a pronoun no longer refers to someone. */
const REFERRED_TO_WITHIN = 5
/** A name that stands alone belongs to somebody who was mentioned just before, or to one of several. */
const NAMED_WITHIN = 2
const MAX_SUBJECTS = 4

interface Mentioned {
  readonly subject: Subject
  readonly sentence: number
}

/** The people and things that were mentioned lately, which a pronoun or a name can mean. */
export class Mentions {
  /** The number of the sentence that is read. */
  sentence = 0
  readonly #named = new Map<string, Subject>()
  #mentioned: ReadonlyArray<Mentioned> = []

  /** Whether anybody was called this. */
  knows(name: string): boolean {
    return this.#named.has(name.toLowerCase())
  }

  /** Somebody or something is called this. */
  name(name: string, subject: Subject): void {
    this.#named.set(name.toLowerCase(), { ...subject, span: name, name, gender: "either" })
  }

  /** Someone whose name the sentence begins with. */
  about(sentence: string): (Subject & { readonly isNew: boolean }) | null {
    const first = /^(\p{L}[\p{L}-]*)(?=['’ ])/u.exec(sentence)?.[1] ?? ""
    const known = this.#named.get(first.toLowerCase())
    if (known !== undefined) return { ...known, isNew: false }
    const name = STARTS_WITH_A_NAME.exec(sentence)?.[1] ?? AGED.exec(sentence)?.[1]
    const last = this.last()
    const isMeant =
      last !== null && (last.gender === "many" || (last.name === null && this.last(NAMED_WITHIN) === last))
    return name === undefined || tellingWords(name).length === 0 || !isMeant || last.gender === "thing"
      ? null
      : { ...last, name, isNew: true }
  }

  /** Who or what was mentioned last. */
  last(within = REFERRED_TO_WITHIN): Subject | null {
    return (
      this.#mentioned.findLast(
        ({ subject, sentence }) => subject.noun !== STRANGER && this.sentence - sentence <= within
      )?.subject ?? null
    )
  }

  /** Whom a pronoun of these genders means. */
  meant(genders: ReadonlySet<string>): Subject | null {
    const near = this.#mentioned.filter(
      ({ subject, sentence }) => genders.has(subject.gender) && this.sentence - sentence <= REFERRED_TO_WITHIN
    )
    const several = genders.has("many") ? near.findLast(({ subject }) => subject.gender === "many") : undefined
    return (several ?? near.at(-1))?.subject ?? null
  }

  /** It is mentioned in this sentence. */
  mention(subject: Subject | null): void {
    if (subject === null) return
    if (subject.name !== null) this.#named.set(subject.name.toLowerCase(), subject)
    this.#mentioned = [
      ...this.#mentioned.filter((one) => one.subject.noun !== subject.noun),
      { subject, sentence: this.sentence }
    ].slice(-MAX_SUBJECTS)
  }

  /** The fact names somebody. */
  learnName({ attribute, subject, value }: Fact): void {
    if (attribute !== "name" || subject === "" || value === "") return
    const known = this.#mentioned.find((one) => one.subject.noun === subject)?.subject
    const span = known === undefined || known.name !== null ? `my ${subject} ${value}` : `${known.span} ${value}`
    this.mention({ noun: subject, span, name: value, gender: known?.gender ?? "either" })
  }

  /** The text with whom its "we two" or its last pronoun means. */
  withObject(text: string): string {
    const together = WE_TWO.test(text) ? this.meant(new Set(["female", "male", "either"])) : null
    if (together !== null && together.noun !== STRANGER && topicOf(together.noun) === "person")
      return `${withoutFinalStop(text)} (${together.span})`
    const meant = endsWithPronoun(text) ? this.meant(new Set(["female", "male", "either", "many"])) : null
    return meant === null || meant.noun === STRANGER ? text : `${withoutFinalStop(text)} (${meant.span})`
  }
}
