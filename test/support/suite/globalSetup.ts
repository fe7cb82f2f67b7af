import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { mkdtemp, rm, statfs } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import type { TestProject } from "vitest/node"
import { Database } from "#src/db/postgres/Database.ts"
import * as EmbeddedPostgres from "#src/db/postgres/embedded/open.ts"
import { migrate } from "#src/db/postgres/migrate.ts"
import { superuserUrl } from "../embedded.ts"
import { onDatabase } from "../onDatabase.ts"
import { bundleProgram } from "./program.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly postgresUrl: string
  }
}

const MEMORY = "/dev/shm"
/** The databases of a run and their write-ahead logs need less. */
const ENOUGH_BYTES = 4 * 1024 ** 3

/**
 * Temporary folders, above all those with databases, are in memory if it has room: creating and deleting the files of a
 * database on a disk takes five times the processor time.
 */
const keepFilesInMemory = async (): Promise<void> => {
  const memory = await statfs(MEMORY).catch(() => null)
  if (memory !== null && memory.bavail * memory.bsize > ENOUGH_BYTES) process.env["TMPDIR"] = MEMORY
}

/** One real PostgreSQL for the whole run, with a migrated template database that each test file clones. */
export default async (project: TestProject) => {
  await keepFilesInMemory()
  const folder = await mkdtemp(join(tmpdir(), "troupe-test-"))
  const bundling = bundleProgram()
  const scope = await Effect.runPromise(Scope.make())
  const { url } = await Effect.runPromise(EmbeddedPostgres.open(folder).pipe(Scope.provide(scope)))

  const admin = postgres(superuserUrl(folder, url), { max: 1, onnotice: () => {} })
  // The run creates and drops hundreds of databases. Durability is not needed, because no test crashes this server or
  // its machine.
  await admin`alter system set fsync = off`
  await admin`alter system set synchronous_commit = off`
  await admin`alter system set full_page_writes = off`
  await admin`select pg_reload_conf()`
  // Tests use the role of the processes, which here may also create databases. Its thousands of connections need not
  // make a password expensive to guess.
  const { username, password } = new URL(url)
  const role = decodeURIComponent(username)
  await admin`set scram_iterations = 1`
  await admin.unsafe(`alter role ${role} createdb password '${decodeURIComponent(password)}'`)
  await admin`create database troupe_template owner ${admin(role)}`
  await admin.end()
  const template = postgres(onDatabase(superuserUrl(folder, url), "troupe_template"), { max: 1, onnotice: () => {} })
  // For tests that count the rows that a statement reads.
  await template`grant execute on function pg_stat_reset() to ${template(role)}`
  await template.end()
  await Effect.runPromise(
    migrate.pipe(
      Effect.provide(Database.layer({ url: Redacted.make(onDatabase(url, "troupe_template")), maxConnections: 2 })),
      Effect.provide(Layer.empty)
    )
  )
  project.provide("postgresUrl", url)
  const program = await bundling

  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(folder, { recursive: true, force: true })
    await program.remove()
  }
}
