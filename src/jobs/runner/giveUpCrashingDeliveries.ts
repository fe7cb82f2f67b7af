import * as Effect from "effect/Effect"
import { Attempt, type Channel, type Delivery } from "#channels/Channel.ts"
import { attempt } from "#src/units/attempt.ts"
import { unitOf } from "#src/units/Unit.ts"

const unitOfDelivery = ({ appId, sessionId, channelId, cursor }: Delivery) =>
  unitOf("delivery", appId, `${channelId} ${sessionId} ${cursor}`)
const gaveUp = Attempt.cases.Rejected.make({ statusCode: null, answer: null, errorCode: "crashed" })

/**
 * A channel whose deliveries are units of work: one that stops its process again and again is passed over, and the lane
 * goes on. An event that cannot be opened is one message without content (null), so that the outcome is on record.
 */
export const giveUpCrashingDeliveries = <Content>(channel: Channel<Content>): Channel<Content | null> => ({
  ...channel,
  open: (delivery) => attempt(unitOfDelivery(delivery), channel.open(delivery), Effect.succeed([null])),
  deliver: ({ content, ...part }, intent) =>
    content === null
      ? Effect.succeed(gaveUp)
      : attempt(unitOfDelivery(part), channel.deliver({ ...part, content }, intent), Effect.succeed(gaveUp))
})
