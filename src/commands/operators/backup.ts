import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { stat } from "node:fs/promises"
import { connection } from "#src/composition/database.ts"
import type { Manifest } from "#src/db/operators/backup/backupFile.ts"
import { writeErasures } from "#src/db/operators/backup/erasureFile.ts"
import { verifyBackup } from "#src/db/operators/backup/readBackup.ts"
import { writeBackup } from "#src/db/operators/backup/writeBackup.ts"
import type { Limits } from "#src/db/operators/backup/whileItMoves.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { Settings } from "#src/settings/Settings.ts"
import { backupProgress } from "./backupProgress.ts"
import { print } from "#src/commands/terminal/output.ts"
import { runCommand, runCommandOn } from "#src/commands/terminal/run.ts"

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
export const withProgress = <A>(work: (progress: ReturnType<typeof backupProgress>, limits: Limits) => Promise<A>) =>
  Effect.flatMap(Settings, ({ copyStall }) =>
    Effect.callback<A, Error>((resume, signal) => {
      const progress = backupProgress()
      const working = work(progress, { signal, stallMs: Duration.toMillis(copyStall) }).finally(progress.end)
      const over = working.then(
        (value) => resume(Effect.succeed(value)),
        (cause: unknown) => resume(Effect.fail(cause instanceof Error ? cause : new Error(String(cause))))
      )
      // Work that is interrupted removes its unfinished file before the process ends.
      return Effect.promise(() => over)
    })
  )

/** `troupe backup FILE` */
export const backupTo = (file: string) =>
  runCommandOn(
    connection,
    Effect.gen(function* () {
      const { sessions } = yield* Database
      const now = DateTime.toDateUtc(yield* DateTime.now)
      const manifest = yield* withProgress(({ onProgress }, limits) =>
        writeBackup(sessions, file, now, onProgress, limits)
      )
      const { size } = yield* Effect.promise(() => stat(file))
      print(JSON.stringify({ file, file_bytes: size, ...summaryOf(manifest) }))
    })
  )

/** `troupe erasures export FILE` */
export const exportErasuresTo = (file: string) =>
  runCommandOn(
    connection,
    Effect.gen(function* () {
      const { sessions } = yield* Database
      const now = DateTime.toDateUtc(yield* DateTime.now)
      const count = yield* withProgress((_, limits) => writeErasures(sessions, file, now, limits))
      print(JSON.stringify({ file, exported_at: now.toISOString(), erasures: count }))
    })
  )

/** `troupe verify FILE` */
export const verifyFile = (file: string) =>
  runCommand(
    Effect.gen(function* () {
      const manifest = yield* withProgress(({ onRead, onProgress }, limits) =>
        verifyBackup(file, onRead, onProgress, limits)
      )
      print(JSON.stringify({ file, verified: true, ...summaryOf(manifest) }))
    })
  )
