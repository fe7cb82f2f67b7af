import * as Schema from "effect/Schema"

interface Meaning {
  /** What was observed, as a part of a sentence. */
  readonly observed: string
  /** What the operator can do. */
  readonly fix: string
  /** The model cannot be used by anybody, and not only for what one person wrote. */
  readonly isOutage: boolean
}

const outage = (observed: string, fix: string): Meaning => ({ observed, fix, isOutage: true })
const single = (observed: string, fix: string): Meaning => ({ observed, fix, isOutage: false })

const TRACES = "Find out in the traces of the turns what the model refuses"

/** Every reason for which a model gives no answer that can be used. Logs, traces, health and doctor use these names. */
export const MODEL_FAILURES = {
  unreachable: outage("the provider cannot be reached", "Check OPENAI_BASE_URL, and whether this server can reach it"),
  timeout: outage(
    "the provider does not answer in time",
    "Look at the provider's status page, and at OPENAI_BASE_URL. If the model is slow, raise OPENAI_TIMEOUT_SECONDS"
  ),
  loading: outage("the model is still loading", "Wait until it is loaded, or raise OPENAI_TIMEOUT_SECONDS"),
  overloaded: outage("the provider is overloaded", "Look at the provider's status page, and at OPENAI_BASE_URL"),
  rate_limited: outage(
    "the provider limits the rate of requests",
    "Raise the rate limit of the provider's account, or send it less"
  ),
  out_of_credit: outage(
    "the quota at the provider is used up",
    "Raise the quota of the provider's account, or pay its bill"
  ),
  bad_key: outage(
    "the provider does not accept the key",
    "Set OPENAI_API_KEY to a key that the provider accepts for this model"
  ),
  no_model: outage(
    "the provider does not know the model",
    "Check that OPENAI_MODEL is a model of the provider, and that OPENAI_BASE_URL is the address of its API"
  ),
  server_error: outage("the provider fails", "Look at the provider's status page, and at OPENAI_BASE_URL"),
  format_refused: outage(
    "the provider refuses the format of the answer",
    "Set OPENAI_JSON to what the provider supports: schema, object or none"
  ),
  parameter_refused: outage(
    "the provider refuses a parameter",
    "Check OPENAI_MAX_TOKENS, OPENAI_TEMPERATURE and the penalties, and `generation` of the character"
  ),
  bad_request: outage(
    "the provider refuses the request",
    "Check that OPENAI_MODEL is a model of the provider, and that it can do what is asked of it"
  ),
  no_answer: outage(
    "the provider's answers hold nothing that can be read",
    "Check that OPENAI_BASE_URL leads to an OpenAI-compatible API, up to and including /v1. If the model thinks long " +
      "before it answers, raise OPENAI_MAX_TOKENS"
  ),
  cut: single(
    "answers are cut at the token limit",
    "Raise OPENAI_MAX_TOKENS, or `generation.max_tokens` of the character"
  ),
  unusable: single(
    "the model's answers do not have the form that was asked for",
    "For a model that cannot write JSON, set OPENAI_JSON=none"
  ),
  context_overflow: single(
    "the conversation does not fit into the model",
    "Give the model a larger context, shorten the character, or lower OPENAI_MAX_TOKENS"
  ),
  too_large: single("the provider refuses so long a request", "Raise the provider's limit, or shorten the character"),
  refusal: single("the model refuses what it is asked", TRACES),
  content_filter: single("the provider's filter stops the replies", TRACES),
  over_budget: single("the rest of the budget does not cover the call", "Raise the budget or cap of the app")
} as const satisfies Readonly<Record<string, Meaning>>

export type ModelFailure = keyof typeof MODEL_FAILURES
export const ModelFailure = Schema.Literals(Object.keys(MODEL_FAILURES) as Array<ModelFailure>)
export const isModelFailure = Schema.is(ModelFailure)

/** Asking again does not help until somebody changes the settings or the account. */
export const LASTING: ReadonlySet<ModelFailure> = new Set(["bad_key", "out_of_credit", "no_model", "over_budget"])
