import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { tables } from "#src/composition/tables.ts"
import { Holds } from "#src/db/telegram/TelegramSuspensions.ts"
import { BadArgument } from "./BadArgument.ts"
import { print } from "./output.ts"
import { readReason } from "./readReason.ts"
import { runCommand } from "./run.ts"

const holds = Holds.layer.pipe(Layer.provide(tables))
const noSuchApp = (app: string | undefined) => () => Effect.fail(new BadArgument({ problem: `there is no app ${app}` }))

/** `troupe telegram hold [--app APP_ID] [--reason TEXT]` */
export const holdTelegram = (args: { readonly app: string | undefined; readonly reason: string | undefined }) =>
  runCommand(
    Effect.gen(function* () {
      const reason = yield* readReason(args.reason)
      const isNew = yield* Holds.use((holds) => holds.hold(args.app ?? null, reason)).pipe(
        Effect.catchTag("NoSuchApp", noSuchApp(args.app)),
        Effect.provide(holds)
      )
      print(JSON.stringify({ app_id: args.app ?? null, held: true, already: !isNew }))
    })
  )

/** `troupe telegram release [--app APP_ID]` */
export const releaseTelegram = (args: { readonly app: string | undefined }) =>
  runCommand(
    Effect.gen(function* () {
      const was = yield* Holds.use((holds) => holds.release(args.app ?? null)).pipe(
        Effect.catchTag("NoSuchApp", noSuchApp(args.app)),
        Effect.provide(holds)
      )
      print(JSON.stringify({ app_id: args.app ?? null, held: false, already: !was }))
    })
  )

/** `troupe telegram holds` */
export const listHolds = () =>
  runCommand(
    Effect.gen(function* () {
      print(JSON.stringify({ holds: yield* Holds.use(({ list }) => list).pipe(Effect.provide(holds)) }))
    })
  )
