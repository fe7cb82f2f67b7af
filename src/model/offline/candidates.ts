import { rotate } from "#pipeline/domain/seed.ts"
import type { Act } from "./acts.ts"
import { type Conversation, NOW } from "./Conversation.ts"
import type { Fact } from "./Fact.ts"
import { openLoops, slotsOf, toldAt } from "./followUp.ts"
import { kindOfAct, kindOfTopic, type LineKind } from "./lineKinds.ts"
import { matcher } from "./matching.ts"
import { NEUTRAL_LINES, OWN_LINES } from "./ownLines.ts"
import { type Memory, recall } from "./recall.ts"
import { openingOf } from "./repertoire.ts"
import type { Slots } from "./slots.ts"

/** Something that could be said. */
export interface Candidate {
  readonly line: string
  /** 0 to 1: how well it fits, before it is held against what was said already. */
  readonly score: number
  readonly slots: Slots
  /** Written by the engine and not by the character's author. */
  readonly own: boolean
  readonly cites: ReadonlyArray<number>
  /** Whether it answers a question about the character, which can be asked back. */
  readonly answersQuestion: boolean
}

/** An example this much like the message answers it. */
const ALIKE = 0.4
const BACKGROUND_ALIKE = 0.55
/** The engine's own lines stand back behind the author's. */
const OWN_LESS = 0.12
/** Lines of one pool differ by so little that no pool overtakes another. */
const NEXT_LESS = 0.001
const MOST_OF_POOL = 12

const candidate = (line: string, score: number, rest: Partial<Candidate> = {}): Candidate => ({ line, score, slots: {}, own: false, cites: [], answersQuestion: false, ...rest })

/** How well the lines for an act answer it. What is not here has no lines of its own. */
const FIT: Readonly<Partial<Record<Act, number>>> = {
  probe: 0.95, farewell: 0.78, grief: 0.95, affection: 0.7, insult: 0.75, apology: 0.75, thanks: 0.75, compliment: 0.7, greeting: 0.75, joke: 0.8, story: 0.8, advice: 0.6,
  elaborate: 0.55, laughter: 0.6, agreement: 0.5, disagreement: 0.55, acknowledgement: 0.5, bad_news: 0.62, good_news: 0.66, question_self: 0.33, question_world: 0.5,
  command: 0.5, disclosure: 0.5
}
/** A message that says little lets the character choose what to speak of. */
const LEAVES_OPEN: Readonly<Partial<Record<Act, number>>> = { acknowledgement: 0.46, agreement: 0.42, laughter: 0.42, disagreement: 0.4, remark: 0.4, disclosure: 0.3, elaborate: 0.3, question_self: 0.2, question_world: 0.2, command: 0.2 }
const GOES_ON: ReadonlySet<Act> = new Set(["elaborate", "agreement", "acknowledgement", "laughter", "more"])
const TAKES_ANSWERS: ReadonlySet<Act> = new Set(["remark", "disclosure", "agreement", "disagreement"])

/** All that could be said in this turn, in no order. */
export const candidatesOf = (conversation: Conversation): ReadonlyArray<Candidate> => {
  const { text, act, facts, said, repertoire, seed } = conversation
  const { lines, examples, goesOn, background, anytime } = repertoire
  const last = said.at(-1) ?? ""

  const pool = (kind: LineKind, score: number, given: Partial<Candidate> = {}): ReadonlyArray<Candidate> => [
    ...rotate(lines[kind], seed).slice(0, MOST_OF_POOL).map((line, i) => candidate(line, score - i * NEXT_LESS, given)),
    ...rotate(OWN_LINES[kind], seed).map((line, i) => candidate(line, score - OWN_LESS - i * NEXT_LESS, { ...given, own: true }))
  ]
  /** A little more or less by the turn, so that the same kind of message does not always get the same kind of reply. */
  const swayed = (score: number, place: number): number => score + ((seed >>> place) % 16) / 100

  const remembered = (memory: Memory): ReadonlyArray<Candidate> => {
    if (memory.kind === "unknown") return pool("unknown_memory", 0.9)
    const { kind, fact, slots } = memory
    return pool(kind === "slot" ? "recall" : "recall_sentence", 0.98, { slots, cites: citesOf(fact) })
  }
  const taken = (): ReadonlyArray<Candidate> => {
    const told = toldAt(NOW, facts).slice(0, 2)
    return told.flatMap((fact, i) => pool(kindOfTopic(fact.topic), 0.64 - i * 0.02, { slots: slotsOf(fact, facts) }))
  }
  const continued = (): ReadonlyArray<Candidate> => {
    const next = goesOn.get(openingOf(last))
    if (next === undefined) return []
    const alike = matcher([next], ({ user }) => user).like(text)[0]?.score ?? 0
    return GOES_ON.has(act) ? [candidate(next.character, 0.92)] : alike >= ALIKE ? [candidate(next.character, Math.min(1, alike + 0.3))] : []
  }
  const opened = (score: number): ReadonlyArray<Candidate> => [
    ...openLoops(facts, NOW, (name) => said.some((text) => text.includes(name))).flatMap((fact) =>
      pool("follow_up", swayed(score, 3), { slots: slotsOf(fact, facts), cites: citesOf(fact) })),
    ...pool("topic", swayed(score, 9)),
    ...rotate(anytime, seed).slice(0, MOST_OF_POOL).map((line, i) => candidate(line, swayed(score, 15) - i * NEXT_LESS))
  ]

  if (act === "meta") return pool("candid", 1)
  const memory = act === "question_past" ? recall(text, facts) : null
  const kind = kindOfAct(act === "question_past" ? "question_self" : act)
  const open = LEAVES_OPEN[act === "question_past" ? "question_self" : act]
  return [
    ...(memory === null ? [] : remembered(memory)),
    ...continued(),
    ...examples.like(text).filter(({ score }) => score >= ALIKE).map(({ item, score }) => candidate(item.character, score, { answersQuestion: act === "question_self" })),
    ...(kind === null ? [] : pool(kind, FIT[act] ?? FIT.question_self ?? 0)),
    ...(act === "disclosure" || act === "good_news" || act === "bad_news" ? taken() : []),
    ...(TAKES_ANSWERS.has(act) && last.trimEnd().endsWith("?") ? pool("answer", 0.6) : []),
    ...(act.startsWith("question") || act === "remark" ? background.like(text).filter(({ score }) => score >= BACKGROUND_ALIKE).map(({ item, score }) => candidate(item, score * 0.6)) : []),
    ...(open === undefined ? [] : opened(open)),
    ...rotate(NEUTRAL_LINES, seed).map((line, i) => candidate(line, 0.1 - i * NEXT_LESS, { own: true }))
  ]
}

const citesOf = ({ cursor }: Fact): ReadonlyArray<number> => cursor === NOW ? [] : [cursor]
