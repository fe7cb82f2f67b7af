import { commandStep, type NextStep } from "./Problem.ts"

/** What the server observed when the model gave no reply, and what to do about it. */
interface ModelFailure {
  readonly observed: string
  readonly next_step: NextStep
  /** The model cannot be used by anybody, and not only for what one person wrote. */
  readonly isOutage: boolean
}

const STATUS = commandStep("Look at the provider's status page, and at OPENAI_BASE_URL")
const KEY = commandStep("Set OPENAI_API_KEY to a key that the provider accepts for this model")
const QUOTA = commandStep("Raise the quota of the provider's account, or pay its bill")
const SLOWER = commandStep("Raise the rate limit of the provider's account, or send it less")
const REACH = commandStep("Check OPENAI_BASE_URL, and whether this server can reach it")
const MODEL = commandStep("Check that OPENAI_MODEL is a model of the provider, and that it can do what is asked of it")
const CHARACTER = commandStep("Find out in the traces of the turns what the model refuses")
const TRACES = commandStep("Look at the traces of the turns that failed, and at the log")

const answers = (status: number): NextStep =>
  status === 401 || status === 403 ? KEY : status === 429 ? SLOWER : status >= 500 || status === 408 ? STATUS : MODEL

const FAILURES: Readonly<Record<string, ModelFailure>> = {
  timeout: { observed: "the provider does not answer in time", next_step: STATUS, isOutage: true },
  connection: { observed: "the provider cannot be reached", next_step: REACH, isOutage: true },
  cut_off: { observed: "the provider's answers break off", next_step: STATUS, isOutage: true },
  bad_response: { observed: "the provider's answers cannot be read", next_step: REACH, isOutage: true },
  quota_exhausted: { observed: "the quota at the provider is used up", next_step: QUOTA, isOutage: true },
  refusal: { observed: "the model refuses what it is asked", next_step: CHARACTER, isOutage: false },
  content_filter: { observed: "the provider's filter stops the replies", next_step: CHARACTER, isOutage: false }
}

/** What the error code of a failed reply says. Null: none is known. */
export const modelFailure = (code: string | null): ModelFailure => {
  const known = code === null ? undefined : FAILURES[code]
  if (known !== undefined) return known
  const status = Number(/^http_(\d{3})$/.exec(code ?? "")?.[1] ?? Number.NaN)
  if (!Number.isNaN(status))
    return { observed: `the provider answers ${status}`, next_step: answers(status), isOutage: true }
  return {
    observed: code === null ? "the reason is unknown" : `the error is ${code}`,
    next_step: code === null ? TRACES : MODEL,
    isOutage: false
  }
}
