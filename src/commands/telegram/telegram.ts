import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { tables } from "#src/composition/tables.ts"
import { TelegramSuspensions } from "#src/db/telegram/TelegramSuspensions.ts"
import { BadArgument } from "#src/commands/terminal/BadArgument.ts"
import { print } from "#src/commands/terminal/output.ts"
import { readReason } from "#src/commands/terminal/readReason.ts"
import { runCommand } from "#src/commands/terminal/run.ts"

const suspensions = TelegramSuspensions.layer.pipe(Layer.provide(tables))
const noSuchApp = (app: string | undefined) => () => Effect.fail(new BadArgument({ problem: `there is no app ${app}` }))

/** `troupe telegram hold [--app APP_ID] [--reason TEXT]` */
export const suspendTelegram = (args: { readonly app: string | undefined; readonly reason: string | undefined }) =>
  runCommand(
    Effect.gen(function* () {
      const reason = yield* readReason(args.reason)
      const isNew = yield* TelegramSuspensions.use((suspensions) => suspensions.suspend(args.app ?? null, reason)).pipe(
        Effect.catchTag("NoSuchApp", noSuchApp(args.app)),
        Effect.provide(suspensions)
      )
      print(JSON.stringify({ app_id: args.app ?? null, held: true, already: !isNew }))
    })
  )

/** `troupe telegram release [--app APP_ID]` */
export const resumeTelegram = (args: { readonly app: string | undefined }) =>
  runCommand(
    Effect.gen(function* () {
      const was = yield* TelegramSuspensions.use((suspensions) => suspensions.resume(args.app ?? null)).pipe(
        Effect.catchTag("NoSuchApp", noSuchApp(args.app)),
        Effect.provide(suspensions)
      )
      print(JSON.stringify({ app_id: args.app ?? null, held: false, already: !was }))
    })
  )

/** `troupe telegram holds` */
export const listTelegramSuspensions = () =>
  runCommand(
    Effect.gen(function* () {
      print(
        JSON.stringify({ holds: yield* TelegramSuspensions.use(({ list }) => list).pipe(Effect.provide(suspensions)) })
      )
    })
  )
