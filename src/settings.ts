import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

export const ROLES = ["api", "worker", "telegram"] as const
export type Role = (typeof ROLES)[number]

/** A setting that cannot be used. Its message is the one line that the operator gets. */
export class BadSetting extends Schema.TaggedError<BadSetting>()("BadSetting", { setting: Schema.String, problem: Schema.String }) {
  override get message() {
    return `${this.setting}: ${this.problem}`
  }
}

/** The environment, read once. The README's table is the reference for operators. */
export class Settings extends Context.Service<Settings, {
  readonly production: boolean
  readonly host: string
  readonly port: number
  readonly publicUrl: string | null
  readonly databaseUrl: Redacted.Redacted<string> | null
  readonly dataDir: string
  readonly roles: ReadonlySet<Role>
  readonly trustProxy: boolean
  readonly model: { readonly apiKey: Redacted.Redacted<string>; readonly baseUrl: string | null; readonly model: string; readonly callTimeout: Duration.Duration } | null
  readonly deadlines: { readonly fast: Duration.Duration; readonly deep: Duration.Duration }
}>()("src/settings") {
  static readonly layer = Layer.effect(Settings, Effect.suspend(() => read))
}

const ENVIRONMENTS: ReadonlyArray<string> = ["development", "production", "test"]

const env = Config.all({
  NODE_ENV: Config.String("NODE_ENV").pipe(Config.withDefault("development")),
  HOST: Config.String("HOST").pipe(Config.withDefault("127.0.0.1")),
  PORT: Config.String("PORT").pipe(Config.withDefault("8080")),
  PUBLIC_URL: Config.option(Config.String("PUBLIC_URL")),
  DATABASE_URL: Config.option(Config.Redacted("DATABASE_URL")),
  DATA_DIR: Config.String("DATA_DIR").pipe(Config.withDefault(".data")),
  ROLES: Config.String("ROLES").pipe(Config.withDefault(ROLES.join(","))),
  TRUST_PROXY: Config.String("TRUST_PROXY").pipe(Config.withDefault("false")),
  OPENAI_API_KEY: Config.option(Config.Redacted("OPENAI_API_KEY")),
  OPENAI_BASE_URL: Config.option(Config.String("OPENAI_BASE_URL")),
  OPENAI_MODEL: Config.String("OPENAI_MODEL").pipe(Config.withDefault("gpt-5-mini")),
  OPENAI_TIMEOUT_SECONDS: Config.String("OPENAI_TIMEOUT_SECONDS").pipe(Config.withDefault("20")),
  TURN_DEADLINE_FAST_SECONDS: Config.String("TURN_DEADLINE_FAST_SECONDS").pipe(Config.withDefault("45")),
  TURN_DEADLINE_DEEP_SECONDS: Config.String("TURN_DEADLINE_DEEP_SECONDS").pipe(Config.withDefault("90"))
})

const url = (setting: string, text: string, protocols: ReadonlyArray<string>) => {
  const parsed = URL.parse(text)
  return parsed !== null && protocols.includes(parsed.protocol)
    ? Effect.succeed(text.replace(/\/+$/, ""))
    : Effect.fail(new BadSetting({ setting, problem: `must be a ${protocols.map((p) => `${p}//`).join(" or ")} address` }))
}
const optionalUrl = (setting: string, text: Option.Option<string>) =>
  Option.match(Option.filter(text, (t) => t !== ""), { onNone: () => Effect.succeed(null), onSome: (t) => url(setting, t, ["http:", "https:"]) })

const seconds = (setting: string, text: string) => {
  const value = Number(text)
  return text.trim() !== "" && value > 0 && value <= 3600
    ? Effect.succeed(Duration.seconds(value))
    : Effect.fail(new BadSetting({ setting, problem: "must be a number of seconds above 0 and up to 3600" }))
}

const readRoles = (text: string) => {
  const wanted = text.split(",").map((part) => part.trim()).filter((part) => part !== "")
  const known = ROLES.filter((role) => wanted.includes(role))
  return wanted.length > 0 && known.length === new Set(wanted).size
    ? Effect.succeed<ReadonlySet<Role>>(new Set(known))
    : Effect.fail(new BadSetting({ setting: "ROLES", problem: `must be a comma-separated list out of ${ROLES.join(", ")}` }))
}

const readPort = (text: string) => {
  const port = Number(text)
  return text.trim() !== "" && Number.isInteger(port) && port >= 0 && port <= 65535
    ? Effect.succeed(port)
    : Effect.fail(new BadSetting({ setting: "PORT", problem: "must be a whole number from 0 to 65535" }))
}

const readFlag = (setting: string, text: string) =>
  ["true", "1", "false", "0", ""].includes(text)
    ? Effect.succeed(text === "true" || text === "1")
    : Effect.fail(new BadSetting({ setting, problem: "must be true or false" }))

const read = Effect.gen(function*() {
  const e = yield* env
  const databaseUrl = Option.getOrNull(Option.filter(e.DATABASE_URL, (secret) => Redacted.value(secret) !== ""))
  if (databaseUrl !== null) yield* url("DATABASE_URL", Redacted.value(databaseUrl), ["postgres:", "postgresql:"])
  const baseUrl = yield* optionalUrl("OPENAI_BASE_URL", e.OPENAI_BASE_URL)
  const apiKey = Option.getOrNull(Option.filter(e.OPENAI_API_KEY, (secret) => Redacted.value(secret) !== ""))
  const callTimeout = yield* seconds("OPENAI_TIMEOUT_SECONDS", e.OPENAI_TIMEOUT_SECONDS)
  if (!ENVIRONMENTS.includes(e.NODE_ENV)) yield* new BadSetting({ setting: "NODE_ENV", problem: `must be one of ${ENVIRONMENTS.join(", ")}` })
  return Settings.of({
    production: e.NODE_ENV === "production",
    host: e.HOST,
    port: yield* readPort(e.PORT),
    publicUrl: yield* optionalUrl("PUBLIC_URL", e.PUBLIC_URL),
    databaseUrl,
    dataDir: e.DATA_DIR,
    roles: yield* readRoles(e.ROLES),
    trustProxy: yield* readFlag("TRUST_PROXY", e.TRUST_PROXY),
    // A local model server needs an address and no key; a hosted one needs a key and no address.
    model: apiKey === null && baseUrl === null ? null : { apiKey: apiKey ?? Redacted.make("none"), baseUrl, model: e.OPENAI_MODEL, callTimeout },
    deadlines: {
      fast: yield* seconds("TURN_DEADLINE_FAST_SECONDS", e.TURN_DEADLINE_FAST_SECONDS),
      deep: yield* seconds("TURN_DEADLINE_DEEP_SECONDS", e.TURN_DEADLINE_DEEP_SECONDS)
    }
  })
}).pipe(Effect.catchTag("ConfigError", (error) => Effect.fail(new BadSetting({ setting: "environment", problem: error.message }))))
