import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

export interface LogChange {
  readonly sessionId: string
  /** The last cursor of the session's log after the change. */
  readonly cursor: number
}

export interface WatchedSession {
  readonly appId: string
  readonly sessionId: string
}

type Listener = (cursor: number) => void
type Forwarder = (changes: ReadonlyArray<LogChange>, pushed: boolean) => void

interface Watch extends WatchedSession {
  readonly listeners: Set<Listener>
}

/**
 * Notifications within this process that a log has grown. They are hints: a reader that receives one reads the log, and
 * a reader that misses one finds out at the next check.
 */
export class LogSignals extends Context.Service<
  LogSignals,
  {
    /**
     * Something was committed here: notifies the readers of this process, and the carrier that notifies other
     * processes. `pushed`: there may be something on lanes, too.
     */
    readonly announce: (changes: ReadonlyArray<LogChange>, pushed?: boolean) => void
    /** A notification from another process: notifies the readers of this one. */
    readonly receive: (changes: ReadonlyArray<LogChange>, pushed?: boolean) => void
    /** Subscribes to one session's changes. The returned function unsubscribes. */
    readonly subscribe: (session: WatchedSession, listener: Listener) => () => void
    /** The sessions with listeners in this process, in a stable order. */
    readonly watched: () => ReadonlyArray<WatchedSession>
    /** Receives every announcement of this process. The returned function unsubscribes. */
    readonly forward: (forwarder: Forwarder) => () => void
    /** Calls the listener when lanes have something to deliver. The returned function unsubscribes. */
    readonly onPush: (listener: () => void) => () => void
  }
>()("channels/event-log/LogSignals") {
  static readonly layer = Layer.sync(LogSignals, () => {
    const watches = new Map<string, Watch>()
    const forwarders = new Set<Forwarder>()
    const couriers = new Set<() => void>()
    const receive = (changes: ReadonlyArray<LogChange>, pushed = false) => {
      if (pushed) for (const courier of couriers) courier()
      for (const { sessionId, cursor } of changes) {
        for (const listener of watches.get(sessionId)?.listeners ?? []) listener(cursor)
      }
    }
    return {
      receive,
      announce: (changes, pushed = false) => {
        if (changes.length === 0) return
        receive(changes, pushed)
        for (const forwarder of forwarders) forwarder(changes, pushed)
      },
      subscribe: ({ appId, sessionId }, listener) => {
        const watch = watches.get(sessionId) ?? { appId, sessionId, listeners: new Set() }
        watches.set(sessionId, watch)
        watch.listeners.add(listener)
        return () => {
          watch.listeners.delete(listener)
          if (watch.listeners.size === 0 && watches.get(sessionId) === watch) watches.delete(sessionId)
        }
      },
      watched: () => [...watches.values()],
      forward: (forwarder) => {
        forwarders.add(forwarder)
        return () => forwarders.delete(forwarder)
      },
      onPush: (listener) => {
        couriers.add(listener)
        return () => couriers.delete(listener)
      }
    }
  })
}
