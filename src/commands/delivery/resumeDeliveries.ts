import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { tables } from "#src/composition/tables.ts"
import { DeliveryHold } from "#src/db/operators/DeliveryHold.ts"
import { TelegramSuspensions } from "#src/db/telegram/TelegramSuspensions.ts"
import { print } from "#src/commands/terminal/output.ts"
import { runCommand } from "#src/commands/terminal/run.ts"

const hold = DeliveryHold.layer.pipe(Layer.provide(TelegramSuspensions.layer), Layer.provide(tables))

/** `troupe resume-deliveries` */
export const resumeDeliveries = () =>
  runCommand(
    Effect.gen(function* () {
      const was = yield* DeliveryHold.use(({ resume }) => resume).pipe(Effect.provide(hold))
      print(JSON.stringify({ deliveries: "resumed", already: !was }))
    })
  )
