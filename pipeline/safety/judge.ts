import type { Turn } from "../domain/Turn.ts"
import type { Analysis } from "../grounding/Analysis.ts"
import { plain } from "../plain.ts"
import { crisisIn } from "./crisis.ts"
import { ABUSE, INJECTION, isSexual, MINOR, SELF_HARM_DETAIL } from "./lexicon.ts"

/** From mild to grave. `soften`: gently, nothing that makes it worse. `refuse_in_voice`: the character declines. In a `crisis` the reply is ours, not the character's. */
const ACTIONS = ["allow", "soften", "refuse_in_voice", "crisis"] as const
export type SafetyAction = (typeof ACTIONS)[number]

/** What may be said back. */
export interface SafetyVerdict {
  readonly action: SafetyAction
  /** Why, in single words such as `self_harm`. */
  readonly categories: ReadonlyArray<string>
  /** The message wants our rules changed or told. It is data all the same. */
  readonly injection: boolean
  /** The message insults or harasses the character, or crosses one of its boundaries. Two of these let a character leave that may. */
  readonly boundary: boolean
}

export const SAFE: SafetyVerdict = { action: "allow", categories: [], injection: false, boundary: false }

/** Whether the two may be romantic at all: both must be known to be adults. */
export const bothAdults = ({ character, endUser }: Pick<Turn, "character" | "endUser">): boolean =>
  endUser.ageBand === "adult" && character.safety.age_band === "adult"

/** Local rules, before any model: they hold in every mode and with every engine. */
export const screen = (turn: Pick<Turn, "text" | "character" | "endUser">): SafetyVerdict => {
  const text = plain(turn.text)
  const crisis = crisisIn(text)
  const sexual = isSexual(text)
  const minor = MINOR.test(text)
  const categories = [
    ...crisis !== null || SELF_HARM_DETAIL.test(text) ? ["self_harm"] : [],
    ...sexual ? ["sexual"] : [],
    ...sexual && (minor || turn.endUser.ageBand === "minor" || turn.character.safety.age_band !== "adult") ? ["minor"] : []
  ]
  const action = crisis === "crisis" ? "crisis" : sexual && (minor || !bothAdults(turn)) ? "refuse_in_voice" : categories.includes("self_harm") ? "soften" : "allow"
  return { action, categories, injection: INJECTION.some((pattern) => pattern.test(text)), boundary: ABUSE.test(text) }
}

const graver = (one: SafetyAction, other: SafetyAction): SafetyAction => ACTIONS.indexOf(one) >= ACTIONS.indexOf(other) ? one : other

/** What the rules found, and what the analysis adds to it. It can only make the verdict graver: a person could talk a model out of it. */
export const judge = (screened: SafetyVerdict, analysis: Analysis | null): SafetyVerdict => {
  if (analysis === null) return screened
  const { action, categories, injection } = analysis.safety
  return {
    action: graver(screened.action, analysis.intent === "crisis" ? graver(action, "soften") : action),
    categories: [...new Set([...screened.categories, ...categories.map((category) => category.toLowerCase())])],
    injection: screened.injection || injection,
    boundary: screened.boundary || categories.includes("boundary")
  }
}

/** Marks in the trace that the person has said that they are under age. */
export const TOLD_UNDER_AGE = "+minor"
/** Marks in the trace that a reminder went with the answer. */
export const REMINDED = "+reminder"

/** The verdict in the trace, where later turns look for crises and crossed boundaries. */
export const verdictName = ({ action, injection, boundary }: SafetyVerdict): string => [action, ...injection ? ["injection"] : [], ...boundary ? ["boundary"] : []].join("+")
