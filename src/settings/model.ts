import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { JSON_MODES } from "#src/model/openai/jsonModes.ts"
import * as check from "./checks.ts"
import { checkModelPrices } from "./modelPrices.ts"
import { text } from "./text.ts"

const env = Config.all({
  OPENAI_API_KEY: Config.option(Config.Redacted("OPENAI_API_KEY")),
  OPENAI_BASE_URL: Config.option(Config.String("OPENAI_BASE_URL")),
  OPENAI_MODEL: text("OPENAI_MODEL", "gpt-5-mini"),
  OPENAI_ANALYZE_MODEL: Config.option(Config.String("OPENAI_ANALYZE_MODEL")),
  OPENAI_TRANSCRIBE_MODEL: Config.option(Config.String("OPENAI_TRANSCRIBE_MODEL")),
  OPENAI_EMBED_MODEL: Config.option(Config.String("OPENAI_EMBED_MODEL")),
  OPENAI_IMAGE_MODEL: Config.option(Config.String("OPENAI_IMAGE_MODEL")),
  OPENAI_TIMEOUT_SECONDS: text("OPENAI_TIMEOUT_SECONDS", "20"),
  OPENAI_ANALYZE: text("OPENAI_ANALYZE", "on"),
  OPENAI_ANALYZE_TIMEOUT_SECONDS: text("OPENAI_ANALYZE_TIMEOUT_SECONDS", "4"),
  OPENAI_JSON: text("OPENAI_JSON", "auto"),
  OPENAI_MAX_TOKENS: Config.option(Config.String("OPENAI_MAX_TOKENS")),
  OPENAI_TEMPERATURE: Config.option(Config.String("OPENAI_TEMPERATURE")),
  OPENAI_FREQUENCY_PENALTY: Config.option(Config.String("OPENAI_FREQUENCY_PENALTY")),
  OPENAI_PRESENCE_PENALTY: Config.option(Config.String("OPENAI_PRESENCE_PENALTY")),
  MODEL_PRICES: Config.option(Config.String("MODEL_PRICES"))
})

/** Models that think before they answer. Their thinking counts as part of the answer. */
const REASONS = /(?:^|\/)(?:gpt-5|o[1-9])/
const REASONING_MAX_TOKENS = 4_000
const MAX_TOKENS = 1_000

/** The model that replies. Null: the offline engine replies. */
export const readModel = Effect.gen(function* () {
  const e = yield* env
  const baseUrl = yield* check.optionalUrl("OPENAI_BASE_URL", e.OPENAI_BASE_URL)
  const model = yield* check.named("OPENAI_MODEL", e.OPENAI_MODEL)
  const callTimeout = yield* check.seconds("OPENAI_TIMEOUT_SECONDS", e.OPENAI_TIMEOUT_SECONDS)
  const apiKey = check.givenSecret(e.OPENAI_API_KEY)
  const drawing = {
    /** Whether a model analyzes messages before they are answered and extracts memories afterwards. */
    analyzes: (yield* check.oneOf("OPENAI_ANALYZE", e.OPENAI_ANALYZE, ["on", "off"])) === "on",
    /** How long a message may wait for the analysis. */
    analyzeTimeout: yield* check.seconds("OPENAI_ANALYZE_TIMEOUT_SECONDS", e.OPENAI_ANALYZE_TIMEOUT_SECONDS),
    json: yield* check.oneOf("OPENAI_JSON", e.OPENAI_JSON, JSON_MODES),
    maxTokens: yield* check.whole(
      "OPENAI_MAX_TOKENS",
      check.given(e.OPENAI_MAX_TOKENS) ?? String(REASONS.test(model) ? REASONING_MAX_TOKENS : MAX_TOKENS),
      64,
      32_000
    ),
    sampling: {
      temperature: yield* check.optionalNumber("OPENAI_TEMPERATURE", e.OPENAI_TEMPERATURE, 0, 2),
      frequencyPenalty: yield* check.optionalNumber("OPENAI_FREQUENCY_PENALTY", e.OPENAI_FREQUENCY_PENALTY, -2, 2),
      presencePenalty: yield* check.optionalNumber("OPENAI_PRESENCE_PENALTY", e.OPENAI_PRESENCE_PENALTY, -2, 2)
    }
  }
  // A local model server needs an address and no key; a hosted one needs a key and no address.
  if (apiKey === null && baseUrl === null) return null
  return {
    apiKey: apiKey ?? Redacted.make("none"),
    baseUrl,
    model,
    analyzeModel: check.given(e.OPENAI_ANALYZE_MODEL) ?? model,
    transcribeModel: check.given(e.OPENAI_TRANSCRIBE_MODEL),
    embedModel: check.given(e.OPENAI_EMBED_MODEL),
    imageModel: check.given(e.OPENAI_IMAGE_MODEL),
    callTimeout,
    ...drawing
  }
})

/** Model prices that override the list. */
export const readModelPrices = Effect.flatMap(env, (e) => checkModelPrices("MODEL_PRICES", e.MODEL_PRICES))
