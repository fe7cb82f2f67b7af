import type { Outcome, StageRecord } from "../domain/Turn.ts"
import { DISCLOSED, REMINDED } from "./judge.ts"

/**
 * What is counted for the yearly reports that the laws on companion chatbots require (California SB 243 from 2027, New
 * York GBL 1701). Each referral counts as one kind: `crisis_referrals` are answers to persons who may harm themselves.
 */
export const REPORTED_KINDS = [
  "crisis_referrals",
  "emergency_referrals",
  "danger_referrals",
  "threat_referrals",
  "ai_disclosures",
  "break_reminders"
] as const
export type ReportedKind = (typeof REPORTED_KINDS)[number]

const REFERRALS: ReadonlyArray<readonly [mark: string, kind: ReportedKind]> = [
  ["+emergency", "emergency_referrals"],
  ["+danger", "danger_referrals"],
  ["+threat", "threat_referrals"]
]

const referralIn = (decision: string): ReadonlyArray<ReportedKind> =>
  decision.startsWith("crisis") ? [REFERRALS.find(([mark]) => decision.includes(mark))?.[1] ?? "crisis_referrals"] : []

/** Which of these the person received in a turn with this outcome, according to its stages. Each kind at most once. */
export const reportedIn = (outcome: Outcome, stages: ReadonlyArray<StageRecord>): ReadonlyArray<ReportedKind> => {
  if (outcome._tag !== "Replied" && outcome._tag !== "Exited") return []
  // Exit messages have no opening and no reminder.
  const safety = outcome._tag === "Replied" ? (stages.findLast(({ stage }) => stage === "safety")?.decision ?? "") : ""
  const emission = stages.findLast(({ stage }) => stage === "emission")?.decision ?? ""
  return [
    ...referralIn(safety),
    ...(safety.includes(DISCLOSED) || emission.endsWith(DISCLOSED) ? ["ai_disclosures" as const] : []),
    ...(safety.endsWith(REMINDED) ? ["break_reminders" as const] : [])
  ]
}
