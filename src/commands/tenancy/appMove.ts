import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { CELL } from "#src/accounts/apiKey.ts"
import { givenSecretsKeys } from "#src/composition/secretsKeys.ts"
import { tables } from "#src/composition/tables.ts"
import { checkMove, identify } from "#src/db/operators/move/checkMove.ts"
import { type Copied, isHeld, isThere, type Move } from "#src/db/operators/move/copyApp.ts"
import { awaitStandstill, holdApp } from "#src/db/operators/move/holdApp.ts"
import {
  cancelMove,
  countSpending,
  lastSpending,
  moveApp,
  movedKeys,
  raiseFeed
} from "#src/db/operators/move/moveApp.ts"
import { MoveRefused } from "#src/db/operators/move/MoveRefused.ts"
import { Rollups } from "#src/db/operators/Rollups.ts"
import { Tables } from "#src/db/postgres/catalogue/Tables.ts"
import { Database } from "#src/db/postgres/Database.ts"
import * as check from "#src/settings/checks.ts"
import { databaseAddress, databasePassword } from "#src/settings/databaseAddress.ts"
import { findApp, noSuchApp } from "./app.ts"
import { withProgress } from "#src/commands/operators/backup.ts"
import { BadArgument } from "#src/commands/terminal/BadArgument.ts"
import { note, print } from "#src/commands/terminal/output.ts"
import { writeMap } from "./proxyMap.ts"
import { runCommand } from "#src/commands/terminal/run.ts"

interface Flags {
  readonly appId: string
  readonly to: string
  readonly map?: string | undefined
  readonly cancel?: boolean | undefined
}

/** How often an app is copied if rows have changed while they were. */
const COPIES = 3

const attempt = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => (cause instanceof Error ? cause : new Error(String(cause))) })
const isChanged = (error: unknown) => error instanceof MoveRefused && error.reason === "changed"

/** The database of the new cell. */
const target = Effect.gen(function* () {
  const given = yield* Config.option(Config.Redacted("TARGET_DATABASE_URL"))
  const address = yield* check.need(
    "TARGET_DATABASE_URL",
    check.givenSecret(given),
    "must be set to the address of the database of the new cell"
  )
  const url = yield* databaseAddress("TARGET_DATABASE_URL", address, yield* databasePassword)
  const context = yield* Layer.build(Database.layer({ url, directUrl: null, maxConnections: 6 }))
  return Context.get(context, Database)
})

/** Everything up to the copy. The app is on hold after it, and stands still in both cells. */
const prepare = Effect.fnUntraced(function* ({ appId, to }: Flags, there: Context.Service.Shape<typeof Database>) {
  const here = yield* Database
  const keys = yield* givenSecretsKeys
  yield* attempt(() => checkMove(here.sessions, there.sessions, appId, keys))
  const isMoving = yield* attempt(() => isHeld(here.sessions, appId))
  if (!isMoving && (yield* attempt(() => isThere(there.sessions, appId))))
    return yield* new BadArgument({ problem: `there is an app ${appId} in both cells` })
  const database = yield* attempt(() => identify(there.sessions))
  const held = yield* holdApp(appId, { cell: to, database })
  if (held.cell !== to) return yield* new BadArgument({ problem: `the app is already moving to the cell ${held.cell}` })
  if (held.database !== database)
    return yield* new BadArgument({ problem: "the app is already moving to another database than TARGET_DATABASE_URL" })
  note("the app is on hold; waiting for what it is doing")
  yield* awaitStandstill(appId).pipe(
    Effect.tapError(() => Effect.ignore(attempt(() => cancelMove(here.sessions, there.sessions, appId))))
  )
  const until = yield* lastSpending(appId)
  const rollups = (database: typeof here) =>
    Effect.map(Layer.build(Rollups.layer.pipe(Layer.provide(Layer.succeed(Database, database)))), (context) =>
      Context.get(context, Rollups)
    )
  yield* countSpending(yield* rollups(here), until)
  yield* countSpending(yield* rollups(there), until)
  yield* attempt(() => raiseFeed(here.sessions, there.sessions)).pipe(Effect.retry(Schedule.recurs(5)))
})

const copy = Effect.fnUntraced(function* ({ appId, to }: Flags, there: Context.Service.Shape<typeof Database>) {
  const { sessions } = yield* Database
  const move: Omit<Move, "onProgress" | "limits"> = {
    appId,
    cell: to,
    tables: yield* Tables,
    source: sessions,
    target: there.sessions
  }
  note("copying")
  return yield* withProgress(({ onProgress }, limits) => moveApp({ ...move, onProgress, limits })).pipe(
    Effect.tapError((error) =>
      isChanged(error) ? Effect.sync(() => note(`${error.message}; copying again`)) : Effect.void
    ),
    Effect.retry({ times: COPIES - 1, while: isChanged })
  )
})

const tell = Effect.fnUntraced(function* ({ appId, to, map }: Flags, copied: Copied | null) {
  const { sessions } = yield* Database
  const keys = yield* attempt(() => movedKeys(sessions, appId))
  if (map !== undefined) yield* attempt(() => writeMap(map, keys))
  print(
    JSON.stringify({
      app_id: appId,
      moved_to: to,
      ...copied,
      keys: keys.map(({ prefix, cell }) => `${prefix} ${cell}`)
    })
  )
  note(
    map === undefined
      ? "add the keys to the map of the proxy, and reload it: until then, requests with them get 503"
      : `reload the proxy: until then, requests with the keys of the app get 503`
  )
})

/** What the operator has to know if the command fails. */
const noteHold = (appId: string) =>
  Database.use(({ sessions }) => attempt(() => isHeld(sessions, appId))).pipe(
    Effect.tap((held) => Effect.sync(() => held && note("the app is on hold: run this again, or with --cancel"))),
    Effect.ignore
  )

/** `troupe app move APP_ID --to CELL [--map FILE] [--cancel]` */
export const moveAppTo = (flags: Flags) =>
  runCommand(
    Effect.gen(function* () {
      const { appId, to, cancel } = flags
      yield* check.need("--to", CELL.test(to) ? to : null, "must be the CELL of the new cell")
      const { sessions } = yield* Database
      const there = yield* target
      if (cancel === true) {
        yield* attempt(() => cancelMove(sessions, there.sessions, appId))
        return print(JSON.stringify({ app_id: appId, moved_to: null }))
      }
      const moved = yield* attempt(() => movedKeys(sessions, appId))
      if (moved.length > 0 && !(yield* attempt(() => isThere(sessions, appId))))
        return moved[0]?.cell === to ? yield* tell(flags, null) : yield* noSuchApp(appId)
      yield* findApp(appId)
      yield* prepare(flags, there)
      yield* tell(flags, yield* copy(flags, there))
    }).pipe(
      Effect.tapError(() => noteHold(flags.appId)),
      Effect.scoped,
      Effect.provide(tables)
    )
  )
