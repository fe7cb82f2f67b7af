import { rotate } from "#pipeline/domain/seed.ts"
import type { Act } from "#pipeline/relational/rules/acts.ts"
import { topicsAskedIn } from "./askedTopics.ts"
import { memoryId } from "#pipeline/retrieval/Transcript.ts"
import { type Conversation, NOW, UNSAID } from "./Conversation.ts"
import { continued } from "./continued.ts"
import type { Fact } from "#pipeline/relational/rules/Fact.ts"
import { openLoops, slotsOf, toldAt } from "./followUp.ts"
import { isMourned } from "./mourned.ts"
import { gentleLines } from "./gentle.ts"
import { kindOfAct, kindOfTopic, type LineKind } from "./lineKinds.ts"
import { mentioned, weightForOthers } from "./mentioned.ts"
import { onTopic } from "./onTopic.ts"
import { NEUTRAL_LINES, OWN_LINES, ownLinesIn } from "./ownLines.ts"
import { reasonPenalty } from "./reasonPenalty.ts"
import { type Memory, recall } from "./recall.ts"
import { asksForReassurance, wantsToBeAsked } from "./requests.ts"
import { openingOf } from "./repertoire.ts"
import { likeEachClause } from "./matching.ts"
import { sharesTheme } from "./wording.ts"
import type { Slots } from "./slots.ts"
import { FIT, LEAVES_OPEN, PLAIN } from "./fits.ts"

/** A possible reply. */
export interface Candidate {
  readonly line: string
  /** From 0 to about 1: how well it fits, before the penalty for repetition. */
  readonly score: number
  readonly slots: Slots
  /** Written by the engine, not by the character's author. */
  readonly own: boolean
  /** Ids of what it relies on. */
  readonly cites: ReadonlyArray<string>
  /** Whether it answers a question about the character, which the character can ask back. */
  readonly answersQuestion: boolean
  /** Whether it leaves a question unanswered. */
  readonly deflects: boolean
}

/** An example with this similarity to the message answers it. */
const ALIKE = 0.4
/** An example with this similarity also answers it if the message is a plainer act. */
const NEARLY_THE_SAME = 0.8
/** An answer on the topic of the question is better than none. */
const SAME_THEME_ALIKE = 0.15
const SAME_THEME_FITS = 0.4
const SAME_THEME_ADVISES = 0.75
const BACKGROUND_ALIKE = 0.55
/** Bonus for an example that also tells something, as similar as this at least. */
const SAME_ACT_MORE = 0.2
const TELLS_ALIKE = 0.3
/** Penalty for the engine's own lines, so that authored lines come first. */
const OWN_LESS = 0.12
/** Lines of one pool differ so little that their order never decides between pools. */
const NEXT_LESS = 0.001
const MAX_OF_POOL = 12
/** So large that a line for the moment precedes a general one, even if it opens like an earlier line. */
const GENTLE_NEXT_LESS = 0.01

/** What the person has told ranks above an example, even one in the same words. */
const MEMORY_FITS = 1.02

const LORE_FITS = 0.45
/** Only an answer that the author has written to the same question is better. */
const INTRODUCTION_FITS = 0.85
/** A question about a person is answered with what is known about them, unless the author has written an answer. */
const PERSON_FITS = 0.9

const TAKES_ANSWERS: ReadonlySet<Act> = new Set(["remark", "disclosure", "agreement", "disagreement"])
const TELLS: ReadonlySet<Act> = new Set(["disagreement", "disclosure", "good_news", "bad_news", "plan", "remark"])
const ASKS: ReadonlySet<Act> = new Set(["question_self", "question_world", "question_past", "command"])
const DEFLECTED: ReadonlySet<Act> = new Set(["question_self", "question_world"])
const COMFORTED: ReadonlySet<Act> = new Set([
  "remark",
  "disclosure",
  "agreement",
  "disagreement",
  "acknowledgement",
  "plan",
  "elaborate"
])

/** If the person tells something and asks something else, the reply also responds to what they told. */
export const followUpLine = (conversation: Conversation): ReadonlyArray<Candidate> => {
  const {
    besides,
    facts,
    gentle,
    repertoire: { lines },
    seed
  } = conversation
  const [fact] = toldAt(NOW, facts)
  const news = besides === "good_news" || besides === "bad_news" || besides === "grief" ? besides : null
  if (gentle !== null || besides === null || (news === null && fact === undefined)) return []
  const kind =
    news ??
    (fact === undefined || (fact.attribute === "name" && fact.subject === "") ? "about_name" : kindOfTopic(fact.topic))
  const slots = fact === undefined ? {} : slotsOf(fact, facts)
  return [...rotate(lines[kind], seed), ...rotate(OWN_LINES[kind], seed)].map((line) =>
    candidate(line, 0, { slots, own: !lines[kind].includes(line) })
  )
}

const candidate = (line: string, score: number, rest: Partial<Candidate> = {}): Candidate => ({
  line,
  score,
  slots: {},
  own: false,
  cites: [],
  answersQuestion: false,
  deflects: false,
  ...rest
})
export const citesOf = ({ cursor, memoryId: id }: Fact): ReadonlyArray<string> =>
  cursor === NOW ? [] : [id ?? memoryId({ cursor })]

/** All possible replies in this turn, in no order. */
export const candidatesOf = (conversation: Conversation): ReadonlyArray<Candidate> => {
  const { text, act, actsBefore, facts, forgets, said, tender, gentle, introduction, repertoire, lore, people, seed } =
    conversation
  const { lines, examples, background, anytime, puzzled } = repertoire
  const tongue = conversation.language ?? conversation.spoken[0] ?? null
  const asked = (said.at(-1) ?? "").trimEnd().endsWith("?")

  // The character does not say good night at noon unless the person did, and does not welcome back a new person.
  const untimely = (line: string): boolean =>
    (act === "farewell" && /\bnight\b/i.test(line) && !/\b(?:night|bed|sleep)/i.test(text)) ||
    (act === "greeting" && /^\W*hey/i.test(line) && !/hey/i.test(text)) ||
    (act === "greeting" && /\b(?:back|again)\b/i.test(line) && (actsBefore.length === 0 || /\bto meet\b/i.test(text)))
  const pool = (kind: LineKind, score: number, given: Partial<Candidate> = {}): ReadonlyArray<Candidate> => [
    ...rotate(
      lines[kind].filter((line) => !untimely(line)),
      seed
    )
      .slice(0, MAX_OF_POOL)
      .map((line, i) => candidate(line, score - i * NEXT_LESS, given)),
    ...rotate(
      ownLinesIn(kind, tongue).filter((line) => !untimely(line)),
      seed
    ).map((line, i) => candidate(line, score - OWN_LESS - i * NEXT_LESS, { ...given, own: true }))
  ]
  /** Varies the score by turn, so that the same kind of message does not always get the same kind of reply. */
  const swayed = (score: number, shift: number): number => score + ((seed >>> shift) % 16) / 100

  // A question about something else is not answered with what the same message told.
  const known = act === "question_past" ? facts : facts.filter(({ cursor }) => cursor !== NOW)
  const memory = ASKS.has(act) && act !== "command" ? recall(text, known, act === "question_past") : null
  const remembered = (memory: Memory | null): ReadonlyArray<Candidate> => {
    if (memory === null) return []
    if (memory.kind === "unknown") return pool("unknown_memory", 0.9)
    if (memory.kind === "lost") return pool("lost_memory", 0.9)
    return pool(
      memory.kind === "slot" ? "recall" : memory.fact.cursor === UNSAID ? "recall_note" : "recall_sentence",
      MEMORY_FITS,
      {
        slots: memory.slots,
        cites: citesOf(memory.fact)
      }
    )
  }
  const topics = topicsAskedIn(text)
  /** Whether an example asks for something else than the message, as far as both are known. */
  const asksOtherwise = (others: ReadonlySet<string>): boolean =>
    topics.size > 0 && others.size > 0 && [...topics].every((topic) => !others.has(topic))
  const exemplified = (): ReadonlyArray<Candidate> =>
    likeEachClause(examples, text, TELLS.has(act) || ASKS.has(act)).flatMap(({ item, score: likeness }) => {
      const score = likeness < 1 && ASKS.has(act) ? likeness * weightForOthers(text, item.user) : likeness
      // A question about the person is not answered with what the character would say about itself.
      if (score < NEARLY_THE_SAME && asksOtherwise(item.topics)) return []
      if (score < 1 && ((act === "question_past" && memory !== null) || (ASKS.has(act) && TELLS.has(item.act))))
        return []
      const alike =
        score >= TELLS_ALIKE && score < NEARLY_THE_SAME && TELLS.has(act) && TELLS.has(item.act)
          ? score + SAME_ACT_MORE
          : score
      if (
        alike < ALIKE &&
        act === "question_self" &&
        item.act === act &&
        score >= SAME_THEME_ALIKE &&
        item.topics.size === 0 &&
        sharesTheme(text, item.user)
      )
        return [candidate(item.character, SAME_THEME_FITS)]
      if (act === "advice" && item.act === act && score >= SAME_THEME_ALIKE && sharesTheme(text, item.user))
        return [candidate(item.character, Math.max(score, SAME_THEME_ADVISES))]
      if (
        alike < ALIKE ||
        (score < 1 && item.act !== act && (PLAIN.has(item.act) || (PLAIN.has(act) && score < NEARLY_THE_SAME)))
      )
        return []
      const again = said.some((line) => openingOf(line).startsWith(openingOf(item.character)))
      return again && alike >= NEARLY_THE_SAME && act === "question_self"
        ? pool("already_said", alike - 0.1)
        : [candidate(item.character, alike, { answersQuestion: act === "question_self" })]
    })
  /** "your dog" can only be said in English. A name can be said in any language. */
  const slotsFor = (fact: Fact): Slots => {
    const { subject, ...others } = slotsOf(fact, facts)
    const sayable = subject !== undefined && (others.named === true || tongue === null || tongue === "en")
    return sayable ? { ...others, subject } : others
  }
  const taken = (): ReadonlyArray<Candidate> =>
    toldAt(NOW, facts)
      .slice(0, 2)
      .flatMap((fact, i) => {
        const slots = slotsFor(fact)
        if (fact.attribute === "name" && fact.subject === "") return pool("about_name", 0.9, { slots })
        if (isMourned(fact, facts)) return pool("comfort", 0.7)
        const several = fact.topic === "person" && slots.subject === undefined
        const nameless = !several && (fact.topic === "pet" || fact.topic === "person") && slots.named !== true
        const about = pool(
          several ? "about_people" : kindOfTopic(fact.topic),
          (fact.topic === "other" ? 0.5 : 0.64) - i * 0.02,
          { slots }
        )
        return nameless ? about.concat(pool("ask_name", swayed(0.58, 5), { slots })) : about
      })
  const opened = (score: number): ReadonlyArray<Candidate> => [
    ...openLoops(facts, NOW, (name) => said.some((line) => line.includes(name))).flatMap((fact) =>
      pool("follow_up", swayed(score, 3), { slots: slotsFor(fact), cites: citesOf(fact) })
    ),
    ...pool("topic", swayed(score, 9)),
    ...rotate(anytime, seed)
      .slice(0, MAX_OF_POOL)
      .map((line, i) => candidate(line, swayed(score, 15) - i * NEXT_LESS))
  ]

  if (act === "meta") return pool("candid", 1)
  if (gentle !== null) {
    // In gentle turns, the only other reply is to recall what the person has said, in the engine's own lines.
    const recalled =
      act === "question_past" ? remembered(memory).filter(({ line, own }) => own && !line.includes("?")) : []
    return [
      ...recalled,
      ...gentleLines(act, gentle, seed, conversation.isForAnother).map((line, i) =>
        candidate(line, 0.8 - i * GENTLE_NEXT_LESS, { own: true })
      )
    ]
  }
  if (forgets) return pool("forgotten", 1)
  if (act === "probe") return pool("refusal", 1)
  if (asksForReassurance(text) && !actsBefore.at(-1)?.startsWith("question")) return pool("comfort", 1)
  if (wantsToBeAsked(text)) return pool("topic", 1)
  if (act === "gibberish")
    return [
      ...rotate(puzzled, seed).map((line, i) => candidate(line, 0.9 - i * NEXT_LESS)),
      ...pool("acknowledgement", 0.5)
    ]
  const answers = act === "question_past" ? "question_self" : act
  const kind = kindOfAct(answers)
  const comforted = tender && COMFORTED.has(act)
  const open = comforted ? undefined : LEAVES_OPEN[answers]
  return [
    ...remembered(memory),
    ...continued(conversation).map(({ line, score }) => candidate(line, score)),
    ...(introduction === null ? [] : [candidate(introduction, INTRODUCTION_FITS)]),
    ...exemplified(),
    ...onTopic(conversation, topics).flatMap(({ line, score }) =>
      ASKS.has(act) && said.some((earlier) => openingOf(earlier) === openingOf(line))
        ? pool("already_said", score - 0.1)
        : [candidate(line, score, { answersQuestion: true })]
    ),
    ...mentioned(conversation).map(({ line, score }) => candidate(line, score)),
    ...(comforted ? pool("comfort", actsBefore.at(-1) === "bad_news" ? 0.6 : 0.75) : []),
    ...(kind === null
      ? []
      : Array.from(pool(kind, FIT[answers] ?? 0, { deflects: DEFLECTED.has(answers) }), (one) => ({
          ...one,
          score: one.score - reasonPenalty(kind, text, one.line)
        }))),
    ...(act === "plan" ? pool("about_plan", 0.56) : []),
    ...(act === "disclosure" || act === "good_news" || act === "greeting" || (act === "remark" && !tender)
      ? taken()
      : []),
    ...(act === "remark" && actsBefore.slice(-2).some((earlier) => TELLS.has(earlier)) ? pool("detail", 0.58) : []),
    ...(TAKES_ANSWERS.has(act) && asked && !comforted
      ? pool("answer", swayed(toldAt(NOW, facts).length > 0 ? 0.47 : 0.52, 7))
      : []),
    ...(answers === "question_self" || act === "question_world" || act === "remark"
      ? background
          .like(text)
          .filter(({ score }) => score >= BACKGROUND_ALIKE)
          .map(({ item, score }) => candidate(item, score * 0.6))
      : []),
    ...(act === "question_world" || answers === "question_self"
      ? lore.map((line, i) => candidate(line, LORE_FITS - i * NEXT_LESS))
      : []),
    ...(ASKS.has(act) ? people.map((line, i) => candidate(line, PERSON_FITS - i * NEXT_LESS)) : []),
    ...(open === undefined ? [] : opened(open)),
    ...rotate(NEUTRAL_LINES, seed).map((line, i) => candidate(line, 0.1 - i * NEXT_LESS, { own: true }))
  ]
}
