import * as Effect from "effect/Effect"
import { type Attempt, type Channel, type Delivery, INTENDED, type Intent } from "#channels/Channel.ts"

/** Opens an event on a channel, and tries to deliver the first of its messages. */
export const push = <Content>(
  channel: Channel<Content>,
  delivery: Delivery,
  intent: Intent = INTENDED
): Effect.Effect<Attempt> =>
  Effect.flatMap(channel.open(delivery), ([content]) =>
    content === undefined
      ? Effect.die(new Error("the event is no message here"))
      : Effect.orDie(channel.deliver({ ...delivery, part: 0, unknowns: 0, content }, intent))
  )
