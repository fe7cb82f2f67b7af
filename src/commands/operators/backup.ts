import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { stat } from "node:fs/promises"
import { connection } from "#src/composition/database.ts"
import type { Manifest } from "#src/db/operators/backup/backupFile.ts"
import { writeErasures } from "#src/db/operators/backup/erasureFile.ts"
import { verifyBackup } from "#src/db/operators/backup/readBackup.ts"
import { writeBackup } from "#src/db/operators/backup/writeBackup.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { backupProgress } from "./backupProgress.ts"
import { print } from "#src/commands/terminal/output.ts"
import { runCommand } from "#src/commands/terminal/run.ts"

/** What a command prints about a backup. */
export const summaryOf = ({ made_at, troupe_version, postgres_version, migrations, tables }: Manifest) => ({
  made_at,
  troupe_version,
  postgres_version,
  schema: migrations.at(-1) ?? null,
  tables: tables.length,
  rows: tables.reduce((sum, { rows }) => sum + rows, 0),
  table_bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0)
})

/** Long work that shows how far it has come, and can be interrupted. */
export const withProgress = <A>(
  work: (progress: ReturnType<typeof backupProgress>, signal: AbortSignal) => Promise<A>
) =>
  Effect.suspend(() => {
    const progress = backupProgress()
    return Effect.tryPromise({
      try: (signal) => work(progress, signal),
      catch: (cause) => (cause instanceof Error ? cause : new Error(String(cause)))
    }).pipe(Effect.ensuring(Effect.sync(progress.end)))
  })

/** `troupe backup FILE` */
export const backupTo = (file: string) =>
  runCommand(
    Effect.gen(function* () {
      const { sessions } = yield* Database
      const now = DateTime.toDateUtc(yield* DateTime.now)
      const manifest = yield* withProgress(({ onProgress }, signal) =>
        writeBackup(sessions, file, now, onProgress, signal)
      )
      const { size } = yield* Effect.promise(() => stat(file))
      print(JSON.stringify({ file, file_bytes: size, ...summaryOf(manifest) }))
    }).pipe(Effect.provide(connection))
  )

/** `troupe erasures export FILE` */
export const exportErasuresTo = (file: string) =>
  runCommand(
    Effect.gen(function* () {
      const { sessions } = yield* Database
      const now = DateTime.toDateUtc(yield* DateTime.now)
      const count = yield* Effect.tryPromise({
        try: () => writeErasures(sessions, file, now),
        catch: (cause) => (cause instanceof Error ? cause : new Error(String(cause)))
      })
      print(JSON.stringify({ file, exported_at: now.toISOString(), erasures: count }))
    }).pipe(Effect.provide(connection))
  )

/** `troupe verify FILE` */
export const verifyFile = (file: string) =>
  runCommand(
    Effect.gen(function* () {
      const manifest = yield* withProgress(({ onRead, onProgress }, signal) =>
        verifyBackup(file, onRead, onProgress, signal)
      )
      print(JSON.stringify({ file, verified: true, ...summaryOf(manifest) }))
    })
  )
