import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { AllowList } from "#channels/outbound/AllowList.ts"
import type { SafetyTextsByLocale } from "#pipeline/safety/texts.ts"
import { JSON_MODES, type JsonMode } from "#src/model/openai/jsonModes.ts"
import type { ConfiguredPrices } from "#src/model/prices.ts"
import * as check from "./checks.ts"

export const ROLES = ["api", "worker", "telegram"] as const
export type Role = (typeof ROLES)[number]

type Secret = Redacted.Redacted<string>
type Key = Redacted.Redacted<Buffer>

/** Where contents lie that are no rows. */
export type StorageSettings =
  | { readonly kind: "database" }
  | { readonly kind: "folder"; readonly folder: string }
  | {
      readonly kind: "s3"
      readonly endpoint: string | null
      readonly bucket: string
      readonly region: string
      readonly accessKeyId: string
      readonly secretAccessKey: Secret
    }

/** The environment, read once. The README's table is the reference for operators. */
export class Settings extends Context.Service<
  Settings,
  {
    readonly production: boolean
    readonly host: string
    readonly port: number
    readonly publicUrl: string | null
    readonly databaseUrl: Secret | null
    readonly dataDir: string
    readonly roles: ReadonlySet<Role>
    /** How many proxies stand in front. */
    readonly trustedProxies: number
    readonly model: {
      readonly apiKey: Secret
      readonly baseUrl: string | null
      readonly model: string
      readonly analyzeModel: string
      readonly transcribeModel: string | null
      readonly imageModel: string | null
      readonly callTimeout: Duration.Duration
      /**
       * Whether a model reads messages before they are answered, and turns afterwards; how long a message may wait for
       * that.
       */
      readonly analyzes: boolean
      readonly analyzeTimeout: Duration.Duration
      readonly json: JsonMode
      readonly maxTokens: number
      readonly sampling: {
        readonly temperature: number | undefined
        readonly frequencyPenalty: number | undefined
        readonly presencePenalty: number | undefined
      }
    } | null
    /** What models cost, over the list. */
    readonly modelPrices: ConfiguredPrices
    /** What is said for safety's sake, over the built-in texts. */
    readonly safetyTexts: SafetyTextsByLocale
    readonly deadlines: { readonly fast: Duration.Duration; readonly deep: Duration.Duration }
    readonly storage: StorageSettings
    /** The key of secrets at rest, and the one that is to replace it. */
    readonly secrets: { readonly key: Key | null; readonly newKey: Key | null }
    readonly outboundAllow: AllowList
    /** Hosts whose pages research may read. */
    readonly researchHosts: ReadonlyArray<string>
    readonly retention: { readonly attempts: Duration.Duration; readonly log: Duration.Duration | null }
    readonly adminToken: Secret | null
    readonly telegram: {
      readonly apiRoot: string
      readonly managerToken: Secret | null
      readonly mode: "webhook" | "polling"
    }
    /** What an app may send and ask in a minute, unless it has a limit of its own. */
    readonly rates: { readonly messages: number; readonly requests: number }
    /** In one process: streams and waiting polls of an app, and requests without a key of an address in a minute. */
    readonly perProcess: { readonly streamsPerApp: number; readonly publicRequests: number }
    readonly demo: { readonly sandbox: boolean; readonly keysPerHour: number }
    readonly oidc: { readonly url: string; readonly clientId: string; readonly clientSecret: Secret } | null
  }
>()("src/settings") {
  static readonly layer = Layer.effect(
    Settings,
    Effect.suspend(() => read)
  )
}

const text = (name: string, otherwise: string) => Config.String(name).pipe(Config.withDefault(otherwise))

const env = Config.all({
  NODE_ENV: text("NODE_ENV", "development"),
  HOST: text("HOST", "127.0.0.1"),
  PORT: text("PORT", "8080"),
  PUBLIC_URL: Config.option(Config.String("PUBLIC_URL")),
  DATABASE_URL: Config.option(Config.Redacted("DATABASE_URL")),
  DATA_DIR: text("DATA_DIR", ".data"),
  ROLES: text("ROLES", ROLES.join(",")),
  TRUST_PROXY: text("TRUST_PROXY", "false"),
  OPENAI_API_KEY: Config.option(Config.Redacted("OPENAI_API_KEY")),
  OPENAI_BASE_URL: Config.option(Config.String("OPENAI_BASE_URL")),
  OPENAI_MODEL: text("OPENAI_MODEL", "gpt-5-mini"),
  OPENAI_ANALYZE_MODEL: Config.option(Config.String("OPENAI_ANALYZE_MODEL")),
  OPENAI_TRANSCRIBE_MODEL: Config.option(Config.String("OPENAI_TRANSCRIBE_MODEL")),
  OPENAI_IMAGE_MODEL: Config.option(Config.String("OPENAI_IMAGE_MODEL")),
  OPENAI_TIMEOUT_SECONDS: text("OPENAI_TIMEOUT_SECONDS", "20"),
  OPENAI_ANALYZE: text("OPENAI_ANALYZE", "on"),
  OPENAI_ANALYZE_TIMEOUT_SECONDS: text("OPENAI_ANALYZE_TIMEOUT_SECONDS", "4"),
  OPENAI_JSON: text("OPENAI_JSON", "auto"),
  OPENAI_MAX_TOKENS: Config.option(Config.String("OPENAI_MAX_TOKENS")),
  OPENAI_TEMPERATURE: Config.option(Config.String("OPENAI_TEMPERATURE")),
  OPENAI_FREQUENCY_PENALTY: Config.option(Config.String("OPENAI_FREQUENCY_PENALTY")),
  OPENAI_PRESENCE_PENALTY: Config.option(Config.String("OPENAI_PRESENCE_PENALTY")),
  MODEL_PRICES: Config.option(Config.String("MODEL_PRICES")),
  TURN_DEADLINE_FAST_SECONDS: text("TURN_DEADLINE_FAST_SECONDS", "45"),
  TURN_DEADLINE_DEEP_SECONDS: text("TURN_DEADLINE_DEEP_SECONDS", "90"),
  SAFETY_TEXTS: Config.option(Config.String("SAFETY_TEXTS")),
  SECRETS_KEY: Config.option(Config.Redacted("SECRETS_KEY")),
  SECRETS_KEY_NEW: Config.option(Config.Redacted("SECRETS_KEY_NEW")),
  STORAGE_DIR: Config.option(Config.String("STORAGE_DIR")),
  S3_ENDPOINT: Config.option(Config.String("S3_ENDPOINT")),
  S3_BUCKET: Config.option(Config.String("S3_BUCKET")),
  S3_REGION: text("S3_REGION", "us-east-1"),
  S3_ACCESS_KEY_ID: Config.option(Config.String("S3_ACCESS_KEY_ID")),
  S3_SECRET_ACCESS_KEY: Config.option(Config.Redacted("S3_SECRET_ACCESS_KEY")),
  OUTBOUND_ALLOW: text("OUTBOUND_ALLOW", ""),
  RESEARCH_HOSTS: text("RESEARCH_HOSTS", ""),
  DELIVERY_RETENTION_DAYS: text("DELIVERY_RETENTION_DAYS", "30"),
  LOG_RETENTION_DAYS: Config.option(Config.String("LOG_RETENTION_DAYS")),
  ADMIN_TOKEN: Config.option(Config.Redacted("ADMIN_TOKEN")),
  TELEGRAM_API_ROOT: text("TELEGRAM_API_ROOT", "https://api.telegram.org"),
  TELEGRAM_MANAGER_TOKEN: Config.option(Config.Redacted("TELEGRAM_MANAGER_TOKEN")),
  TELEGRAM_MODE: text("TELEGRAM_MODE", "webhook"),
  MESSAGES_PER_MINUTE: text("MESSAGES_PER_MINUTE", "600"),
  REQUESTS_PER_MINUTE: text("REQUESTS_PER_MINUTE", "12000"),
  STREAMS_PER_APP: text("STREAMS_PER_APP", "1000"),
  PUBLIC_REQUESTS_PER_MINUTE: text("PUBLIC_REQUESTS_PER_MINUTE", "600"),
  DEMO_SANDBOX: Config.option(Config.String("DEMO_SANDBOX")),
  DEMO_KEYS_PER_HOUR: text("DEMO_KEYS_PER_HOUR", "5"),
  OIDC_ISSUER: Config.option(Config.String("OIDC_ISSUER")),
  OIDC_CLIENT_ID: Config.option(Config.String("OIDC_CLIENT_ID")),
  OIDC_CLIENT_SECRET: Config.option(Config.Redacted("OIDC_CLIENT_SECRET"))
})
type Env = Config.Success<typeof env>

/** Models that think before they answer; their thoughts count as part of the answer. */
const REASONS = /(?:^|\/)(?:gpt-5|o[1-9])/
const REASONING_MAX_TOKENS = 4_000
const MAX_TOKENS = 1_000

const readModel = Effect.fnUntraced(function* (e: Env) {
  const baseUrl = yield* check.optionalUrl("OPENAI_BASE_URL", e.OPENAI_BASE_URL)
  const model = yield* check.named("OPENAI_MODEL", e.OPENAI_MODEL)
  const callTimeout = yield* check.seconds("OPENAI_TIMEOUT_SECONDS", e.OPENAI_TIMEOUT_SECONDS)
  const apiKey = check.givenSecret(e.OPENAI_API_KEY)
  const drawing = {
    analyzes: (yield* check.oneOf("OPENAI_ANALYZE", e.OPENAI_ANALYZE, ["on", "off"])) === "on",
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
    imageModel: check.given(e.OPENAI_IMAGE_MODEL),
    callTimeout,
    ...drawing
  }
})

const readRetention = Effect.fnUntraced(function* (e: Env) {
  const days = (setting: string, text: string) => Effect.map(check.whole(setting, text, 1, 36_500), Duration.days)
  const log = check.given(e.LOG_RETENTION_DAYS)
  return {
    attempts: yield* days("DELIVERY_RETENTION_DAYS", e.DELIVERY_RETENTION_DAYS),
    log: log === null ? null : yield* days("LOG_RETENTION_DAYS", log)
  }
})

const readStorage = Effect.fnUntraced(function* (e: Env): Effect.fn.Return<StorageSettings, check.BadSetting> {
  const folder = check.given(e.STORAGE_DIR)
  const endpoint = yield* check.optionalUrl("S3_ENDPOINT", e.S3_ENDPOINT)
  const bucket = check.given(e.S3_BUCKET)
  const region = yield* check.named("S3_REGION", e.S3_REGION)
  const accessKeyId = check.given(e.S3_ACCESS_KEY_ID)
  const secretAccessKey = check.givenSecret(e.S3_SECRET_ACCESS_KEY)
  if (endpoint === null && bucket === null && accessKeyId === null && secretAccessKey === null)
    return folder === null ? { kind: "database" } : { kind: "folder", folder }
  if (folder !== null)
    return yield* new check.BadSetting({
      setting: "STORAGE_DIR",
      problem: "cannot be given together with S3_*: contents lie in one place"
    })
  const missing = (setting: string) =>
    new check.BadSetting({
      setting,
      problem: "must be given too: S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY come together"
    })
  if (bucket === null) return yield* missing("S3_BUCKET")
  if (accessKeyId === null) return yield* missing("S3_ACCESS_KEY_ID")
  if (secretAccessKey === null) return yield* missing("S3_SECRET_ACCESS_KEY")
  return { kind: "s3", endpoint, bucket, region, accessKeyId, secretAccessKey }
})

const readOidc = Effect.fnUntraced(function* (e: Env) {
  const issuer = yield* check.optionalUrl("OIDC_ISSUER", e.OIDC_ISSUER)
  const clientId = check.given(e.OIDC_CLIENT_ID)
  const clientSecret = check.givenSecret(e.OIDC_CLIENT_SECRET)
  if (issuer === null && clientId === null && clientSecret === null) return null
  const missing = (setting: string) =>
    new check.BadSetting({
      setting,
      problem: "must be given too: OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET come together"
    })
  if (issuer === null) return yield* missing("OIDC_ISSUER")
  if (clientId === null) return yield* missing("OIDC_CLIENT_ID")
  if (clientSecret === null) return yield* missing("OIDC_CLIENT_SECRET")
  return { url: issuer, clientId, clientSecret }
})

const read = Effect.gen(function* () {
  const e = yield* env
  const production =
    (yield* check.oneOf("NODE_ENV", e.NODE_ENV, ["development", "production", "test"])) === "production"
  const databaseUrl = check.givenSecret(e.DATABASE_URL)
  if (databaseUrl !== null) yield* check.url("DATABASE_URL", Redacted.value(databaseUrl), ["postgres:", "postgresql:"])
  return Settings.of({
    production,
    host: yield* check.named("HOST", e.HOST),
    port: yield* check.whole("PORT", e.PORT, 0, 65535),
    publicUrl: yield* check.optionalUrl("PUBLIC_URL", e.PUBLIC_URL),
    databaseUrl,
    dataDir: yield* check.named("DATA_DIR", e.DATA_DIR),
    roles: yield* check.listOf("ROLES", e.ROLES, ROLES),
    trustedProxies: yield* check.proxies("TRUST_PROXY", e.TRUST_PROXY),
    model: yield* readModel(e),
    modelPrices: yield* check.modelPrices("MODEL_PRICES", e.MODEL_PRICES),
    safetyTexts: yield* check.safetyTexts("SAFETY_TEXTS", e.SAFETY_TEXTS),
    deadlines: {
      fast: yield* check.seconds("TURN_DEADLINE_FAST_SECONDS", e.TURN_DEADLINE_FAST_SECONDS),
      deep: yield* check.seconds("TURN_DEADLINE_DEEP_SECONDS", e.TURN_DEADLINE_DEEP_SECONDS)
    },
    storage: yield* readStorage(e),
    secrets: {
      key: yield* check.key("SECRETS_KEY", e.SECRETS_KEY),
      newKey: yield* check.key("SECRETS_KEY_NEW", e.SECRETS_KEY_NEW)
    },
    outboundAllow: yield* check.allowList("OUTBOUND_ALLOW", e.OUTBOUND_ALLOW),
    researchHosts: yield* check.hosts("RESEARCH_HOSTS", e.RESEARCH_HOSTS),
    retention: yield* readRetention(e),
    adminToken: yield* check.token(
      "ADMIN_TOKEN",
      e.ADMIN_TOKEN,
      production ? /^[\x21-\x7e]{16,}$/ : /^[\x21-\x7e]+$/,
      `must be ${production ? "16 or more " : ""}visible ASCII characters without a space`
    ),
    telegram: {
      apiRoot: yield* check.url("TELEGRAM_API_ROOT", e.TELEGRAM_API_ROOT, ["http:", "https:"]),
      managerToken: yield* check.token(
        "TELEGRAM_MANAGER_TOKEN",
        e.TELEGRAM_MANAGER_TOKEN,
        /^\d{3,20}:[A-Za-z0-9_-]{20,100}$/,
        "must be a bot token as @BotFather gives it"
      ),
      mode: yield* check.oneOf("TELEGRAM_MODE", e.TELEGRAM_MODE, ["webhook", "polling"])
    },
    rates: {
      messages: yield* check.whole("MESSAGES_PER_MINUTE", e.MESSAGES_PER_MINUTE, 1, 1_000_000_000),
      requests: yield* check.whole("REQUESTS_PER_MINUTE", e.REQUESTS_PER_MINUTE, 1, 1_000_000_000)
    },
    perProcess: {
      streamsPerApp: yield* check.whole("STREAMS_PER_APP", e.STREAMS_PER_APP, 1, 1_000_000),
      publicRequests: yield* check.whole("PUBLIC_REQUESTS_PER_MINUTE", e.PUBLIC_REQUESTS_PER_MINUTE, 1, 1_000_000_000)
    },
    demo: {
      sandbox:
        (yield* check.oneOf("DEMO_SANDBOX", check.given(e.DEMO_SANDBOX) ?? (production ? "off" : "on"), [
          "on",
          "off"
        ])) === "on",
      keysPerHour: yield* check.whole("DEMO_KEYS_PER_HOUR", e.DEMO_KEYS_PER_HOUR, 0, 1_000_000)
    },
    oidc: yield* readOidc(e)
  })
}).pipe(
  Effect.catchTag("ConfigError", (error) =>
    Effect.fail(new check.BadSetting({ setting: "environment", problem: error.message }))
  )
)
