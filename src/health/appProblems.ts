import type { BudgetEvidence, Evidence, HoldEvidence, MismatchEvidence } from "./Evidence.ts"
import { BUDGET_SHARE } from "./limits.ts"
import { appStep, commandStep, iso, type Problem } from "./Problem.ts"

/** In cents. Less than a cent is exact. */
const usd = (micro: number) => (micro < 10_000 ? micro / 1_000_000 : Math.round(micro / 10_000) / 100)

/** A budget that is nearly or fully spent, or of which too little is left for a message. */
export const budgetProblems = (budget: BudgetEvidence): ReadonlyArray<Problem> => {
  const { app_id, period, limit_micro_usd: limit, used_micro_usd: used, hard_stop, refused_at, reach } = budget
  const percent = limit === 0 ? 100 : Math.floor((used / limit) * 100)
  if (percent < BUDGET_SHARE && refused_at === null) return []
  const isWhole = percent >= 100
  const isSpent = isWhole || refused_at !== null
  return [
    {
      kind: isSpent ? "budget_spent" : "budget_nearly_spent",
      severity: isSpent && hard_stop ? "critical" : "warning",
      subject: { app_id },
      since: null,
      count: 1,
      // Without a hard stop, people notice nothing.
      reach: hard_stop ? reach : 0,
      evidence: { period, used_usd: usd(used), limit_usd: usd(limit), percent, hard_stop },
      cause: isWhole
        ? `The app's budget for the ${period} is spent${hard_stop ? ": messages get 402" : ", but spending continues"}`
        : isSpent
          ? `What is left of the app's budget for the ${period} does not cover a message: messages get 402`
          : `${percent} % of the app's budget for the ${period} is spent`,
      next_step: commandStep(
        "Raise the budget, or wait for the next period",
        `npm run -s troupe -- app caps ${app_id} ${period === "day" ? "--daily-budget-usd" : "--monthly-budget-usd"} N`
      )
    }
  ]
}

/** Turns that cost something else than what was booked for them. */
export const mismatchProblems = ({ app_id, found_at, turns, run_ref }: MismatchEvidence): ReadonlyArray<Problem> => [
  {
    kind: "ledger_mismatch",
    severity: "warning",
    subject: { app_id },
    since: iso(found_at),
    count: turns,
    reach: 0,
    evidence: { turns, run_ref },
    cause: "The costs of some turns differ from their ledger entries",
    next_step: commandStep("List the turns and their amounts", "npm run -s troupe -- ledger check")
  }
]

/** After a restore, people wait for what is not delivered: somebody has to decide, so it is a warning. */
const deliveriesOnHold = ({ since, reason, reach }: HoldEvidence): Problem => ({
  kind: "deliveries_on_hold",
  severity: "warning",
  subject: {},
  since: iso(since),
  count: 1,
  reach,
  evidence: { reason },
  cause: `Nothing is delivered, because this server was ${reason ?? "restored"}. Nothing is lost`,
  next_step: commandStep(
    "When the original server has stopped, resume the deliveries",
    "npm run -s troupe -- resume-deliveries"
  )
})

/** It takes seconds, unless the command was killed. */
const appMoves = ({ scope, since, reason, reach }: HoldEvidence): Problem => ({
  kind: "app_suspended",
  severity: "warning",
  subject: { app_id: scope },
  since: iso(since),
  count: 1,
  reach,
  evidence: { reason },
  cause: `The app is moving to the cell ${reason}. Nothing is lost`,
  next_step: commandStep(
    "If the command is no longer running, run it again. It goes on where it stopped",
    `npm run -s troupe -- app move ${scope} --to ${reason}`
  )
})

const suspensionProblem = ({ scope, kind, since, reason, reach }: HoldEvidence): Problem => ({
  kind: kind === "app" ? "app_suspended" : "bots_on_hold",
  severity: "info",
  subject: scope === "*" ? {} : { app_id: scope },
  since: iso(since),
  count: 1,
  reach,
  evidence: { reason },
  cause:
    kind === "app"
      ? "The operator has suspended the app. Nothing is lost"
      : "The operator has put the Telegram bots on hold. What people write is kept",
  next_step: commandStep(
    "Lift it when its reason no longer applies",
    kind === "app"
      ? `npm run -s troupe -- app resume ${scope}`
      : `npm run -s troupe -- telegram release${scope === "*" ? "" : ` --app ${scope}`}`
  )
})

const holdProblem = (hold: HoldEvidence): Problem =>
  hold.kind === "delivery" ? deliveriesOnHold(hold) : hold.kind === "move" ? appMoves(hold) : suspensionProblem(hold)

/** What somebody has stopped on purpose. */
export const suspensions = ({ holds, suspendedBots }: Evidence): ReadonlyArray<Problem> => [
  ...holds.map(holdProblem),
  ...suspendedBots.map(({ app_id, bots, since, reach }): Problem => ({
    kind: "bot_suspended",
    severity: "info",
    subject: { app_id },
    since: iso(since),
    count: bots,
    reach,
    evidence: { bots },
    cause: "The app has suspended these bots",
    next_step: appStep("GET", "/v1/telegram/bots", "Resume those that should work")
  }))
]
