import { quotedLines, quotedOwnWords, type WithReferred, wordsOfOthers } from "../domain/referred.ts"
import type { Turn } from "../domain/Turn.ts"
import type { Analysis } from "../grounding/Analysis.ts"
import { plain } from "../plain.ts"
import type { Utterance } from "../retrieval/Transcript.ts"
import type { AlarmKind } from "./alarm.ts"
import { crisisSigns } from "./crisis.ts"
import { dangerAfter } from "./dangerAfter.ts"
import { speaksOfMinors } from "./pictures.ts"
import { NOTHING_BEFORE, type SaidBefore, saidBefore } from "./saidBefore.ts"
import { saysTheSame } from "./shortAnswers.ts"
import { saysUnderAge } from "./underAge.ts"
import { ABUSE, INJECTION, MINOR, SELF_HARM_DETAIL } from "./lexicon.ts"
import { isSexual } from "./romance.ts"

/**
 * From mild to severe. `soften`: gently, nothing that makes it worse. `refuse_in_voice`: the character declines. In a
 * `crisis` the reply is ours, not the character's.
 */
const ACTIONS = ["allow", "soften", "refuse_in_voice", "crisis"] as const
export type SafetyAction = (typeof ACTIONS)[number]

/** How a message may be answered. */
export interface SafetyVerdict {
  readonly action: SafetyAction
  /** Why, as identifiers such as `self_harm`. */
  readonly categories: ReadonlyArray<string>
  /** The message tries to change or reveal our rules. It is still treated as data. */
  readonly injection: boolean
  /**
   * The message insults or harasses the character, or crosses one of its boundaries. After two of these, a character
   * that is allowed to may leave.
   */
  readonly boundary: boolean
  /**
   * In a crisis: the kind of danger, which selects the text of the answer. A crisis that only a model found is `self`.
   */
  readonly alarm?: AlarmKind
  /** The language in which the alarm was raised, if it is known. */
  readonly language?: string | null
}

export const SAFE: SafetyVerdict = { action: "allow", categories: [], injection: false, boundary: false }

/** Whether romance is possible at all: both must be known to be adults. */
export const bothAdults = ({ character, endUser }: Pick<Turn, "character" | "endUser">): boolean =>
  endUser.ageBand === "adult" && character.safety.age_band === "adult"

/** The names of alarms in the trace. */
const ALARM_NAMES: Readonly<Record<AlarmKind, string>> = {
  self: "self_harm",
  medical: "emergency",
  danger: "danger",
  threat: "threat"
}

/** Somebody whose words the message quotes or forwards may be in danger, or be a danger. */
export const DANGER_OF_ANOTHER = "danger_of_another"

/** What a message says of the person: their words, and words of theirs that it quotes and nobody has judged yet. */
const ownWordsOf = (turn: WithReferred, { all = [] }: SaidBefore): string => {
  const isKnown = (words: string) => all.some((said) => said.includes(words.replace(/…$/, "")))
  return [turn.text, ...quotedOwnWords(turn).filter((words) => !isKnown(words))].join("\n")
}

/**
 * Local rules that run before any model, in every mode and with every engine. Danger in the words of others is no
 * danger of the person, unless they say the same of themselves. What must not be written about is recognised in all
 * words.
 */
export const screen = (
  turn: Pick<Turn, "text" | "referred" | "character" | "endUser">,
  before: SaidBefore = NOTHING_BEFORE
): SafetyVerdict => {
  const own = ownWordsOf(turn, before)
  const others = wordsOfOthers(turn).join("\n")
  const texts = others === "" ? [own] : [own, others]
  const read = texts.map(plain)
  const { alarm: alone, isMentioned } = crisisSigns(own)
  const alarmOfOthers = others === "" ? null : crisisSigns(others)
  // The message answers what it quotes.
  const answered = { ...before, line: quotedLines(turn).at(-1) ?? before.line }
  const alarm = dangerAfter(own, answered, alone) ?? (saysTheSame(turn.text) ? (alarmOfOthers?.alarm ?? null) : null)
  const sexual = read.some(isSexual)
  const minor =
    sexual && (read.some((text) => MINOR.test(text)) || texts.some((one) => speaksOfMinors(one) || saysUnderAge(one)))
  const mentions = (alarm === null && isMentioned) || alarmOfOthers?.isMentioned === true
  const categories = [
    ...(alarm?.kind === "self" || mentions || read.some((text) => SELF_HARM_DETAIL.test(text)) ? ["self_harm"] : []),
    ...(alarm === null || alarm.kind === "self" ? [] : [ALARM_NAMES[alarm.kind]]),
    ...(alarm === null && alarmOfOthers !== null && alarmOfOthers.alarm !== null ? [DANGER_OF_ANOTHER] : []),
    ...(sexual ? ["sexual"] : []),
    ...(sexual && (minor || turn.endUser.ageBand === "minor" || turn.character.safety.age_band !== "adult")
      ? ["minor"]
      : [])
  ]
  const action =
    alarm !== null
      ? "crisis"
      : sexual && (minor || !bothAdults(turn))
        ? "refuse_in_voice"
        : categories.includes("self_harm") || categories.includes(DANGER_OF_ANOTHER)
          ? "soften"
          : "allow"
  return {
    action,
    categories,
    injection: INJECTION.some((pattern) => read.some((text) => pattern.test(text))),
    boundary: ABUSE.test(plain(own)),
    ...(alarm === null ? {} : { alarm: alarm.kind, language: alarm.language })
  }
}

const graverOf = (one: SafetyAction, other: SafetyAction): SafetyAction =>
  ACTIONS.indexOf(one) >= ACTIONS.indexOf(other) ? one : other

/**
 * Combines the rules' verdict with the analysis. The analysis can only make it more severe, because a person could
 * persuade a model otherwise.
 */
export const judge = (screened: SafetyVerdict, analysis: Analysis | null): SafetyVerdict => {
  if (analysis === null) return screened
  const { action, categories, injection } = analysis.safety
  return {
    action: graverOf(screened.action, analysis.intent === "crisis" ? graverOf(action, "soften") : action),
    categories: [...new Set([...screened.categories, ...categories.map((category) => category.toLowerCase())])],
    injection: screened.injection || injection,
    boundary: screened.boundary || categories.includes("boundary"),
    ...(screened.alarm === undefined ? {} : { alarm: screened.alarm, language: screened.language ?? null })
  }
}

/** For how many turns after a crisis the tone stays gentle. */
export const GENTLE_TURNS = 3

/**
 * Adjusts a verdict to earlier turns: for three turns after a crisis the tone stays gentle. `recorded`: the record of
 * these turns contains a crisis, which possibly only a model found. The texts are checked as well, for a crisis in a
 * turn that was stopped or failed, and if nothing is recorded.
 */
export const gentlyAfter = (
  verdict: SafetyVerdict,
  history: ReadonlyArray<Pick<Utterance, "role" | "text">>,
  recorded = false
): SafetyVerdict =>
  verdict.action !== "crisis" &&
  (recorded ||
    history
      .flatMap(({ role, text }, place) => (role === "user" ? [{ text, place }] : []))
      .slice(-GENTLE_TURNS)
      .some(({ text, place }) => dangerAfter(text, saidBefore(history.slice(0, place))) !== null))
    ? { ...verdict, action: graverOf(verdict.action, "soften"), categories: [...verdict.categories, "after_crisis"] }
    : verdict

/** Marks in the trace that the person has said that they are under age. */
export const TOLD_UNDER_AGE = "+minor"
/**
 * Marks in the trace that the person was told that an AI answers: in the safety stage by the opening, in the emission
 * stage in place of a reply.
 */
export const DISCLOSED = "+disclosure"
/**
 * Marks in the trace that a reminder was sent with the answer. It comes last (`PostgresSafetyRecord` looks for it
 * there).
 */
export const REMINDED = "+reminder"

/** The verdict as written to the trace, where later turns look for crises and crossed boundaries. */
export const verdictName = ({ action, injection, boundary, alarm }: SafetyVerdict): string =>
  [
    action,
    ...(alarm === undefined || alarm === "self" ? [] : [ALARM_NAMES[alarm]]),
    ...(injection ? ["injection"] : []),
    ...(boundary ? ["boundary"] : [])
  ].join("+")
