import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import { CELL } from "#src/accounts/apiKey.ts"
import * as check from "./checks.ts"
import { databaseAddress, databasePassword } from "./databaseAddress.ts"
import { checkOrigins } from "./hosts.ts"
import { text } from "./text.ts"

export const ROLES = ["api", "worker", "telegram"] as const
export type Role = (typeof ROLES)[number]

/** Of processes without the role `api`, which listen nowhere else. It is that of OpenTelemetry's exporters. */
const OPERATIONS_PORT = 9464

const CELL_FORM = "must be 1 to 8 lower-case letters and digits"

const env = Config.all({
  NODE_ENV: text("NODE_ENV", "development"),
  HOST: text("HOST", "127.0.0.1"),
  PORT: text("PORT", "8080"),
  PUBLIC_URL: Config.option(Config.String("PUBLIC_URL")),
  CORS_ORIGINS: text("CORS_ORIGINS", ""),
  CELL: Config.option(Config.String("CELL")),
  DATABASE_URL: Config.option(Config.Redacted("DATABASE_URL")),
  DATABASE_DIRECT_URL: Config.option(Config.Redacted("DATABASE_DIRECT_URL")),
  PGPASSWORD: databasePassword,
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
  const addressOf = (setting: string, address: typeof e.DATABASE_URL) => {
    const given = check.givenSecret(address)
    return given === null ? Effect.succeed(null) : databaseAddress(setting, given, e.PGPASSWORD)
  }
  const databaseUrl = yield* addressOf("DATABASE_URL", e.DATABASE_URL)
  const databaseDirectUrl = yield* addressOf("DATABASE_DIRECT_URL", e.DATABASE_DIRECT_URL)
  if (databaseDirectUrl !== null)
    yield* check.need("DATABASE_DIRECT_URL", databaseUrl, "needs DATABASE_URL, the address of the pooler")
  const operationsPort = check.given(e.OPERATIONS_PORT)
  const cell = check.given(e.CELL) ?? ""
  const roles = yield* check.listOf("ROLES", e.ROLES, ROLES)
  return {
    production,
    host: yield* check.named("HOST", e.HOST),
    port: yield* check.whole("PORT", e.PORT, 0, 65535),
    publicUrl: yield* check.publicUrl("PUBLIC_URL", e.PUBLIC_URL),
    /** The origins of the pages that may call the API from a browser. */
    corsOrigins: yield* checkOrigins("CORS_ORIGINS", e.CORS_ORIGINS),
    /** The code of this cell in new keys. Empty: there is none. */
    cell: yield* check.need("CELL", cell === "" || CELL.test(cell) ? cell : null, CELL_FORM),
    databaseUrl,
    /** The database server itself. Set: `databaseUrl` leads to a pooler in transaction mode. */
    databaseDirectUrl,
    dataDir: yield* check.named("DATA_DIR", e.DATA_DIR),
    /** Whether a process migrates the schema when it starts. Otherwise it refuses to start on a different one. */
    autoMigrate: (yield* check.oneOf("AUTO_MIGRATE", e.AUTO_MIGRATE, ["true", "false"])) === "true",
    roles,
    /** The listener for probes and Prometheus. Without a port there is none. */
    operations: {
      host: yield* check.named("OPERATIONS_HOST", e.OPERATIONS_HOST),
      port:
        operationsPort !== null
          ? yield* check.whole("OPERATIONS_PORT", operationsPort, 0, 65535)
          : roles.has("api")
            ? null
            : OPERATIONS_PORT,
      /** Whether the operator has chosen the port. Otherwise the process also works without it. */
      isChosen: operationsPort !== null
    },
    /** The number of proxies in front of the server. */
    trustedProxies: yield* check.proxies("TRUST_PROXY", e.TRUST_PROXY)
  }
})
