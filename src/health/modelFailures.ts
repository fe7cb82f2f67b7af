import { isModelFailure, MODEL_FAILURES, type ModelFailure } from "#pipeline/ModelFailure.ts"
import { commandStep, type NextStep } from "./Problem.ts"

/** What the server observed when the model gave no reply, and what to do about it. */
interface Observation {
  readonly observed: string
  readonly next_step: NextStep
  /** The model cannot be used by anybody, and not only for what one person wrote. */
  readonly isOutage: boolean
}

const TRACES = commandStep("Look at the traces of the turns that failed, and at the log")

/** Names of failures that are recorded by their code alone. */
const BY_CODE: Readonly<Record<string, ModelFailure>> = {
  connection: "unreachable",
  cut_off: "unreachable",
  bad_response: "no_answer",
  quota_exhausted: "out_of_credit",
  timed_out: "timeout",
  truncated_json: "cut",
  no_json: "unusable",
  schema_mismatch: "unusable"
}
const byStatus = (status: number): ModelFailure =>
  status === 401 || status === 403
    ? "bad_key"
    : status === 429
      ? "rate_limited"
      : status >= 500 || status === 408
        ? "server_error"
        : "bad_request"

/** What the error of a failed reply says. Nulls: none is known. */
export const modelFailure = (code: string | null, failure: ModelFailure | null): Observation => {
  if (code === null) return { observed: "the reason is unknown", next_step: TRACES, isOutage: false }
  const status = Number(/^http_(\d{3})$/.exec(code)?.[1] ?? Number.NaN)
  const name =
    failure ?? (isModelFailure(code) ? code : (BY_CODE[code] ?? (Number.isNaN(status) ? undefined : byStatus(status))))
  if (name === undefined)
    return { observed: `the error is ${code}`, next_step: commandStep(MODEL_FAILURES.bad_request.fix), isOutage: false }
  const { observed, fix, isOutage } = MODEL_FAILURES[name]
  const isStatusMore = !Number.isNaN(status) && (name === "server_error" || name === "bad_request")
  return {
    observed: isStatusMore ? `the provider answers ${status}` : observed,
    next_step: commandStep(fix),
    isOutage
  }
}
