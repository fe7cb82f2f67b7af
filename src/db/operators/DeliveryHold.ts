import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { auditing } from "#src/db/tenancy/auditLog.ts"
import { OPERATOR } from "#src/db/tenancy/operator.ts"
import { ALL_APPS } from "#src/db/delivery/isSuspendedByOperator.ts"
import { suspensionRows } from "#src/db/delivery/suspensionRows.ts"
import { TelegramSuspensions } from "#src/db/telegram/TelegramSuspensions.ts"

/**
 * The hold that a restore puts on everything that is sent: webhooks, Telegram, alerts, and proactive messages. Bots are
 * not polled either. What people and apps do in the meantime waits, in order.
 */
export class DeliveryHold extends Context.Service<
  DeliveryHold,
  {
    /** Everything continues where the backup had it. False: deliveries were not on hold. */
    readonly resume: Effect.Effect<boolean, DatabaseError>
  }
>()("src/db/operators/DeliveryHold") {
  static readonly layer = Layer.effect(
    DeliveryHold,
    Effect.gen(function* () {
      const database = yield* Database
      const { finish } = yield* TelegramSuspensions
      const { lift } = suspensionRows(database, "delivery")
      const record = auditing(database)
      const resume = Effect.gen(function* () {
        const was = (yield* lift(ALL_APPS)) !== null
        if (was) yield* record({ accountId: OPERATOR, action: "deliveries.resumed" })
        return was
      }).pipe(database.transaction, Effect.tap(finish))
      return DeliveryHold.of({ resume })
    })
  )
}
