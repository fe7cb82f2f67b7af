import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { tables } from "#src/composition/tables.ts"
import { Suspensions } from "#src/db/operators/Suspensions.ts"
import { TelegramSuspensions } from "#src/db/telegram/TelegramSuspensions.ts"
import { Settings } from "#src/settings/Settings.ts"
import type { ServerFlags } from "#src/commands/terminal/api.ts"
import { findApp, noSuchApp } from "./app.ts"
import { connectOperator } from "#src/commands/terminal/operatorApi.ts"
import { print, printable } from "#src/commands/terminal/output.ts"
import { readReason } from "#src/commands/terminal/readReason.ts"
import { runClient } from "#src/commands/terminal/run.ts"

interface Flags extends Pick<ServerFlags, "url"> {
  readonly appId: string
  readonly reason?: string | undefined
  readonly json?: boolean | undefined
}

const suspensions = Suspensions.layer.pipe(Layer.provide(TelegramSuspensions.layer), Layer.provideMerge(tables))

const App = Schema.Struct({
  app_id: Schema.String,
  suspended_at: Schema.NullOr(Schema.String),
  suspended_reason: Schema.NullOr(Schema.String)
})
/** `already`: nothing had to be done. */
type Outcome = typeof App.Type & { readonly already: boolean }

const tell = ({ app_id, suspended_at, suspended_reason, already }: Outcome, json: boolean | undefined) => {
  if (json === true) return print(JSON.stringify({ app_id, suspended_at, suspended_reason, already }))
  const state = suspended_at === null ? "active" : `suspended since ${suspended_at}`
  const why = suspended_reason === null ? "" : `: ${printable(suspended_reason)}`
  print(`${printable(app_id)}  ${state}${why}${already ? "  (as before)" : ""}`)
}

/** An operator who names a server or has a token acts over HTTP, and the audit log names them. */
const isRemote = ({ url }: Flags) =>
  Effect.map(
    Config.option(Config.Redacted("TROUPE_OPERATOR_TOKEN")),
    (token) => url !== undefined || Option.isSome(token)
  )

const overHttp = Effect.fnUntraced(function* (action: "suspend" | "resume", flags: Flags) {
  const reason = yield* readReason(flags.reason)
  const api = yield* connectOperator(flags)
  const path = `/admin/apps/${encodeURIComponent(flags.appId)}`
  const before = yield* api.get(path, App)
  const after = yield* api.post(`${path}/${action}`, reason === null ? {} : { reason }, App)
  const already = (before.suspended_at === null) === (after.suspended_at === null)
  tell({ ...after, already }, flags.json)
})

/** For anyone who can reach the database, even if no server answers. */
const onDatabase = (action: "suspend" | "resume", { appId, reason: text, json }: Flags) =>
  Effect.gen(function* () {
    const reason = yield* readReason(text)
    yield* findApp(appId)
    const changed = yield* Suspensions.use(({ suspend, resume }) =>
      action === "suspend" ? suspend(appId, reason) : resume(appId)
    ).pipe(Effect.catchTag("NoSuchApp", () => Effect.fail(noSuchApp(appId))))
    const { suspended_at, suspended_reason } = yield* findApp(appId)
    tell(
      { app_id: appId, suspended_at: suspended_at?.toISOString() ?? null, suspended_reason, already: !changed },
      json
    )
  }).pipe(Effect.provide(suspensions))

/** `troupe app suspend|resume APP_ID`: over HTTP, or else on the database. */
const change = (action: "suspend" | "resume") => (flags: Flags) =>
  runClient(
    Effect.flatMap(isRemote(flags), (remote): Effect.Effect<void, unknown> =>
      remote ? overHttp(action, flags) : onDatabase(action, flags).pipe(Effect.provide(Settings.layer))
    )
  )

export const suspendApp = change("suspend")
export const resumeApp = change("resume")
