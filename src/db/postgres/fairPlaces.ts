import * as Effect from "effect/Effect"

interface Ticket {
  isIn: boolean
  start: () => void
}

/**
 * A limited number of places for short work. While all are taken, apps take turns: an app with much work puts one piece
 * of it before the next of each other app, and not all of it. `limit`: what to make of the wait for a place.
 */
export const makeFairPlaces = (count: number) => {
  let free = count
  // A served app goes to the end.
  const waiting = new Map<string, Set<Ticket>>()

  const start = (ticket: Ticket) => {
    free--
    ticket.isIn = true
    ticket.start()
  }
  const serve = () => {
    for (const [appId, tickets] of waiting) {
      if (free === 0) return
      const [ticket] = tickets
      waiting.delete(appId)
      if (ticket === undefined) continue
      tickets.delete(ticket)
      if (tickets.size > 0) waiting.set(appId, tickets)
      start(ticket)
    }
  }
  const enter = (appId: string): Ticket => {
    const ticket: Ticket = { isIn: false, start: () => {} }
    if (free > 0) start(ticket)
    else waiting.set(appId, (waiting.get(appId) ?? new Set()).add(ticket))
    return ticket
  }
  const leave = (appId: string, ticket: Ticket) => {
    if (ticket.isIn) {
      free++
      return serve()
    }
    const tickets = waiting.get(appId)
    tickets?.delete(ticket)
    if (tickets?.size === 0) waiting.delete(appId)
  }
  const entered = (ticket: Ticket) =>
    Effect.callback<void>((resume) => {
      // The next one starts in its own task, not within the work that has just left.
      ticket.start = () => resume(Effect.yieldNow)
      if (ticket.isIn) ticket.start()
    })

  return <A, E, R, F = never>(
    appId: string,
    self: Effect.Effect<A, E, R>,
    limit: (wait: Effect.Effect<void>) => Effect.Effect<void, F> = (wait) => wait
  ): Effect.Effect<A, E | F, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const ticket = enter(appId)
        const work = ticket.isIn ? restore(self) : Effect.andThen(restore(limit(entered(ticket))), restore(self))
        return Effect.ensuring(
          work,
          Effect.sync(() => leave(appId, ticket))
        )
      })
    )
}
