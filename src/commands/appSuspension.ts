import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { tables } from "#src/composition/tables.ts"
import { Suspensions } from "#src/db/operators/Suspensions.ts"
import { TelegramSuspensions } from "#src/db/telegram/TelegramSuspensions.ts"
import { findApp, noSuchApp } from "./app.ts"
import { print } from "./output.ts"
import { readReason } from "./readReason.ts"
import { runCommand } from "./run.ts"

const suspensions = Suspensions.layer.pipe(Layer.provide(TelegramSuspensions.layer), Layer.provideMerge(tables))

/** `troupe app suspend APP_ID [--reason TEXT]` */
export const suspendApp = ({ appId, reason: text }: { readonly appId: string; readonly reason: string | undefined }) =>
  runCommand(
    Effect.gen(function* () {
      const reason = yield* readReason(text)
      yield* findApp(appId)
      const isNew = yield* Suspensions.use(({ suspend }) => suspend(appId, reason)).pipe(
        Effect.catchTag("NoSuchApp", () => Effect.fail(noSuchApp(appId)))
      )
      const { suspended_at, suspended_reason } = yield* findApp(appId)
      print(JSON.stringify({ app_id: appId, suspended_at, suspended_reason, already: !isNew }))
    }).pipe(Effect.provide(suspensions))
  )

/** `troupe app resume APP_ID` */
export const resumeApp = ({ appId }: { readonly appId: string }) =>
  runCommand(
    Effect.gen(function* () {
      yield* findApp(appId)
      const was = yield* Suspensions.use(({ resume }) => resume(appId)).pipe(
        Effect.catchTag("NoSuchApp", () => Effect.fail(noSuchApp(appId)))
      )
      print(JSON.stringify({ app_id: appId, suspended_at: null, suspended_reason: null, already: !was }))
    }).pipe(Effect.provide(suspensions))
  )
