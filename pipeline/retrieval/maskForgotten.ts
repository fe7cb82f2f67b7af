import type { Referred } from "../domain/referred.ts"
import { hashOf } from "../relational/gist.ts"
import { type ForgetRequest, forgetRequestIn } from "../relational/rules/forgetRequest.ts"
import { tellingWords } from "../relational/rules/notFacts.ts"
import { clausesOf, sentencesOf } from "../relational/rules/sentences.ts"
import { marksOf } from "./topics/topics.ts"
import type { Utterance } from "./Transcript.ts"
import { WordForms } from "./WordForms.ts"

/** A message that told something which is forgotten by now. */
export interface ForgottenSaid {
  readonly cursor: number
  readonly text: string
  /** Hashes of the forgotten words, see `hashOf`. */
  readonly hashes: ReadonlyArray<string>
  /** When it was forgotten. */
  readonly at: Date
}

/** Stands for what is not shown anymore. */
const MASK = "…"
const SHARED_WORDS = 2
const MIN_TELLING_CHARS = 4
/** If anything was forgotten, only the beginning of a long message is shown. Prompts show no more of it anyway. */
const SHOWN_CHARS = 2_000
/** How much of what was forgotten is read, latest first. Messages beyond that are not shown at all. */
const MAX_FORGOTTEN_CHARS = 24_000
const MAX_FORBIDDEN = 200
/** How many clauses are compared with what was forgotten. After that, whole messages are forbidden. */
const MAX_CLAUSES = 2_000

/** Words that may not be repeated. One of `telling` is enough, two of the others are needed. */
interface Forbidden {
  readonly words: ReadonlyArray<string>
  readonly telling: ReadonlySet<string>
  /** It does not cover what was said after this time. */
  readonly until: number
}

const CAPITALISED = /(?<=\S )\p{Lu}[\p{L}'’-]+/gu

const forbiddenBy = (text: string, until: number): Forbidden => {
  const words = tellingWords(text)
  const names = new Set((text.match(CAPITALISED) ?? []).flatMap(tellingWords))
  return {
    words,
    telling: new Set(
      words.filter((word) => names.has(word) || (word.length >= MIN_TELLING_CHARS && marksOf(word).length === 0))
    ),
    until
  }
}

/** What of these messages may not be repeated, and which of them cannot be shown at all. */
const forgottenIn = (
  forgotten: ReadonlyArray<ForgottenSaid>
): { readonly forbidden: ReadonlyArray<Forbidden>; readonly hidden: ReadonlySet<number> } => {
  const forbidden: Array<Forbidden> = []
  const hidden = new Set<number>()
  let [chars, compared] = [0, 0]
  for (const { cursor, text, hashes, at } of forgotten) {
    chars += text.length
    if (chars > MAX_FORGOTTEN_CHARS || forbidden.length >= MAX_FORBIDDEN) {
      hidden.add(cursor)
      continue
    }
    const known = new Set(hashes)
    const clauses =
      known.size === 0 ? [] : sentencesOf(text).flatMap((sentence) => [sentence].concat(clausesOf(sentence)))
    compared += clauses.length
    const gone = compared > MAX_CLAUSES ? [] : clauses.filter((clause) => known.has(hashOf(clause)))
    // All of it if the clauses cannot be told apart.
    for (const clause of gone.length > 0 ? gone : [text]) forbidden.push(forbiddenBy(clause, at.getTime()))
  }
  return { forbidden, hidden }
}

/** A word of forbidden ones: of which, how often, and whether it is enough. */
interface Use {
  readonly by: number
  readonly times: number
  readonly telling: boolean
}

/** Finds repetitions of what is forbidden. All of it is searched for at once. */
class Repetitions {
  readonly #forbidden: ReadonlyArray<Forbidden>
  readonly #forms = new WordForms()
  readonly #uses = new Map<string, Array<Use>>()

  constructor(forbidden: ReadonlyArray<Forbidden>) {
    this.#forbidden = forbidden
    for (const [by, { words, telling }] of forbidden.entries())
      for (const [word, same] of Map.groupBy(words, (word) => word)) {
        this.#forms.add(word)
        const use = { by, times: same.length, telling: telling.has(word) }
        const known = this.#uses.get(word)
        if (known === undefined) this.#uses.set(word, [use])
        else known.push(use)
      }
  }

  in(sentence: string, at: number): boolean {
    const shared = new Uint16Array(this.#forbidden.length)
    const seen = new Set<string>()
    for (const said of new Set(tellingWords(sentence)))
      for (const word of this.#forms.of(said)) {
        if (seen.has(word)) continue
        seen.add(word)
        for (const { by, times, telling } of this.#uses.get(word) ?? []) {
          const gone = this.#forbidden[by]
          if (gone === undefined || at > gone.until) continue
          const count = (shared[by] ?? 0) + times
          if (telling || count >= Math.min(SHARED_WORDS, gone.words.length)) return true
          shared[by] = count
        }
      }
    return false
  }
}

interface Said {
  readonly text: string
  readonly at: Date
  readonly cursor?: number | null
  readonly referred?: ReadonlyArray<Referred>
}

const masked = <A extends Said>(said: A, repetitions: Repetitions): A => {
  const read = said.text.slice(0, SHOWN_CHARS).toWellFormed()
  const sentences = sentencesOf(read)
  const kept = sentences.filter((sentence) => !repetitions.in(sentence, said.at.getTime()))
  if (kept.length === sentences.length) return read.length === said.text.length ? said : { ...said, text: read }
  return { ...said, text: kept.length === 0 ? MASK : kept.join(" ") }
}

/** The same for what a message quotes or forwards. */
const withMasked = <A extends Said>(said: A, repetitions: Repetitions): A => {
  const hide = (one: Referred): Referred => ({
    ...one,
    text: masked({ text: one.text, at: said.at }, repetitions).text
  })
  const own = masked(said, repetitions)
  return said.referred === undefined ? own : { ...own, referred: said.referred.map(hide) }
}

export interface Mask {
  /** The same without what was forgotten. What consists of nothing else becomes "…". */
  readonly history: (said: ReadonlyArray<Utterance>) => ReadonlyArray<Utterance>
  /** Those of which something is left. */
  readonly found: <A extends Said>(said: ReadonlyArray<A>) => ReadonlyArray<A>
}

/**
 * Hides what the person has asked to forget, wherever it was said, repeated or quoted before: what is already
 * forgotten, and what recent messages ask for that memory extraction may not have reached yet.
 */
export const maskOf = (
  forgotten: ReadonlyArray<ForgottenSaid>,
  history: ReadonlyArray<Utterance>,
  message: { readonly text: string; readonly atMs: number }
): Mask => {
  const requests = [
    ...history.filter(({ role }) => role === "user").map(({ text, at }) => ({ text, at: at.getTime() })),
    { text: message.text, at: message.atMs }
  ].flatMap(({ text, at }) => {
    const request = forgetRequestIn(text)
    return request === null ? [] : [{ request, at }]
  })
  const isAll = ({ request }: { readonly request: ForgetRequest }) => request.everything
  const clearedAt = Math.max(-Infinity, ...requests.filter(isAll).map(({ at }) => at))
  const { forbidden, hidden } = forgottenIn(forgotten)
  const all = [
    ...forbidden,
    ...requests.filter((one) => !isAll(one)).map(({ request, at }) => forbiddenBy(request.about, at))
  ]
  if (all.length === 0 && hidden.size === 0 && clearedAt === -Infinity)
    return { history: (said) => said, found: (said) => said }
  const repetitions = new Repetitions(all)
  const one = <A extends Said>(said: A): A =>
    said.at.getTime() <= clearedAt || hidden.has(said.cursor ?? -1)
      ? { ...said, text: MASK, ...(said.referred !== undefined && { referred: [] }) }
      : withMasked(said, repetitions)
  return {
    history: (said) => said.map(one),
    found: (said) => said.map(one).filter(({ text }) => text !== MASK)
  }
}
