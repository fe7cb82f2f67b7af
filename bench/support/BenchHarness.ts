import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { mintApiKey } from "#src/accounts/apiKey.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { findBinaries } from "#src/db/postgres/embedded/binaries.ts"
import { readPassword, SUPERUSER } from "#src/db/postgres/embedded/cluster.ts"
import { prepareHome } from "#src/db/postgres/embedded/home.ts"
import * as EmbeddedPostgres from "#src/db/postgres/embedded/open.ts"
import { migrate } from "#src/db/postgres/migrate.ts"

export const APP = "app_000000000000000000000BENCH"

/** A separate migrated PostgreSQL database for this run, with one app, one character and many sessions. */
export interface BenchHarness {
  readonly url: string
  readonly sql: postgres.Sql
  readonly key: string
  readonly sessions: ReadonlyArray<string>
  /** Waits until what was filled in is on the disk: it can be gigabytes, which would disturb a measurement. */
  readonly settle: () => Promise<void>
  readonly close: () => Promise<void>
}

const sessionId = (n: number) => `ses_${String(n).padStart(26, "0")}`

const PROFILE = {
  display_name: "Bench",
  voice_samples: [{ text: "One." }, { text: "Two, then." }, { text: "Three of them." }],
  example_dialogues: [
    { user: "hello there", character: "Hello yourself." },
    { user: "how are you", character: "Well enough." }
  ]
}

export const startBenchHarness = async (sessionCount: number): Promise<BenchHarness> => {
  const folder = await mkdtemp(join(tmpdir(), "troupe-bench-"))
  const scope = await Effect.runPromise(Scope.make())
  const { url } = await Effect.runPromise(EmbeddedPostgres.open(folder).pipe(Scope.provide(scope)))
  const home = await Effect.runPromise(Effect.flatMap(findBinaries, (binaries) => prepareHome(binaries, folder)))
  await Effect.runPromise(
    migrate.pipe(
      Effect.provide(Database.layer({ url: Redacted.make(url), maxConnections: 2 })),
      Effect.provide(Layer.succeed(References.MinimumLogLevel, "Fatal"))
    )
  )
  const sql = postgres(url, { max: 4, onnotice: () => {} })
  const settle = async () => {
    await sql.unsafe("vacuum analyze")
    const asSuperuser = new URL(url)
    asSuperuser.username = SUPERUSER
    asSuperuser.password = await Effect.runPromise(readPassword(home))
    const admin = postgres(asSuperuser.href, { max: 1 })
    await admin.unsafe("checkpoint")
    await admin.end()
  }
  const key = mintApiKey()
  const sessions = Array.from({ length: sessionCount }, (_, n) => sessionId(n))
  await sql`insert into apps (app_id, name) values (${APP}, 'bench')`
  await sql`insert into api_keys (prefix, app_id, name, secret_hash)
    values (${key.prefix}, ${APP}, 'bench', ${key.secretHash})`
  await sql`insert into characters (app_id, slug, version) values (${APP}, 'bench', 1)`
  await sql`insert into character_versions (app_id, slug, version, profile)
    values (${APP}, 'bench', 1, ${sql.json(PROFILE)})`
  await sql`insert into end_users (app_id, external_user_ref)
    select ${APP}, 'u' || n from generate_series(0, ${sessionCount - 1}) n`
  await sql`
    insert into sessions (app_id, session_id, character_slug, external_user_ref, proactive_controls, metadata)
    select ${APP}, id, 'bench', 'u' || (n - 1), '{}', '{}' from unnest(${sessions}::text[]) with ordinality as s(id, n)`
  await sql`insert into session_logs (app_id, session_id) select ${APP}, id from unnest(${sessions}::text[]) as s(id)`
  await sql.unsafe("vacuum analyze")
  return {
    url,
    sql,
    key: key.apiKey,
    sessions,
    settle,
    close: async () => {
      await sql.end({ timeout: 1 })
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await rm(folder, { recursive: true, force: true })
    }
  }
}
