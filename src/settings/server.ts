import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as check from "./checks.ts"
import { text } from "./text.ts"

export const ROLES = ["api", "worker", "telegram"] as const
export type Role = (typeof ROLES)[number]

const env = Config.all({
  NODE_ENV: text("NODE_ENV", "development"),
  HOST: text("HOST", "127.0.0.1"),
  PORT: text("PORT", "8080"),
  PUBLIC_URL: Config.option(Config.String("PUBLIC_URL")),
  DATABASE_URL: Config.option(Config.Redacted("DATABASE_URL")),
  DATA_DIR: text("DATA_DIR", ".data"),
  AUTO_MIGRATE: text("AUTO_MIGRATE", "true"),
  ROLES: text("ROLES", ROLES.join(",")),
  TRUST_PROXY: text("TRUST_PROXY", "false"),
  OPERATIONS_HOST: text("OPERATIONS_HOST", "127.0.0.1"),
  OPERATIONS_PORT: Config.option(Config.String("OPERATIONS_PORT"))
})

export const readServer = Effect.gen(function* () {
  const e = yield* env
  const production =
    (yield* check.oneOf("NODE_ENV", e.NODE_ENV, ["development", "production", "test"])) === "production"
  const databaseUrl = check.givenSecret(e.DATABASE_URL)
  if (databaseUrl !== null) yield* check.url("DATABASE_URL", Redacted.value(databaseUrl), ["postgres:", "postgresql:"])
  const operationsPort = check.given(e.OPERATIONS_PORT)
  return {
    production,
    host: yield* check.named("HOST", e.HOST),
    port: yield* check.whole("PORT", e.PORT, 0, 65535),
    publicUrl: yield* check.optionalUrl("PUBLIC_URL", e.PUBLIC_URL),
    databaseUrl,
    dataDir: yield* check.named("DATA_DIR", e.DATA_DIR),
    /** Whether a process migrates the schema when it starts. Otherwise it refuses to start on a different one. */
    autoMigrate: (yield* check.oneOf("AUTO_MIGRATE", e.AUTO_MIGRATE, ["true", "false"])) === "true",
    roles: yield* check.listOf("ROLES", e.ROLES, ROLES),
    /** The listener for probes and Prometheus. Without a port there is none. */
    operations: {
      host: yield* check.named("OPERATIONS_HOST", e.OPERATIONS_HOST),
      port: operationsPort === null ? null : yield* check.whole("OPERATIONS_PORT", operationsPort, 0, 65535)
    },
    /** The number of proxies in front of the server. */
    trustedProxies: yield* check.proxies("TRUST_PROXY", e.TRUST_PROXY)
  }
})
