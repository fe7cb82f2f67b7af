import { Outcome } from "../domain/Turn.ts"
import { alarmTexts } from "../safety/texts.ts"
import type { TurnTrace } from "../TurnTrace.ts"
import type { Judged } from "./judgeTurn.ts"

/** In a crisis the reply is ours, and no writing stage runs. */
export const answerCrisis = (trace: TurnTrace, { safety, texts, preface }: Judged): Outcome => {
  for (const stage of ["knowledge", "generation", "emission"] as const) trace.skip(stage, "crisis")
  return Outcome.cases.Replied.make({ bubbles: [...preface, ...alarmTexts(texts, safety.alarm)] })
}
