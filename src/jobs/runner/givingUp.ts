import * as Effect from "effect/Effect"
import { Attempt, type Channel, type Delivery } from "#channels/Channel.ts"
import { attempt } from "#src/units/attempt.ts"
import { unitOf } from "#src/units/Unit.ts"

const unitOfDelivery = ({ appId, sessionId, channelId, cursor }: Delivery) =>
  unitOf("delivery", appId, `${channelId} ${sessionId} ${cursor}`)
const givenUp = Attempt.cases.Rejected.make({ statusCode: null, answer: null, errorCode: "crashed" })

/**
 * A channel whose deliveries are units of work. A delivery that repeatedly crashes its process is skipped, and the lane
 * continues.
 */
export const givingUp = (channel: Channel): Channel => {
  const { open } = channel
  return {
    ...channel,
    ...(open !== undefined && {
      open: (delivery: Delivery) => attempt(unitOfDelivery(delivery), open(delivery), Effect.succeed(1))
    }),
    deliver: (delivery) => attempt(unitOfDelivery(delivery), channel.deliver(delivery), Effect.succeed(givenUp))
  }
}
