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
type Carrier = (changes: ReadonlyArray<LogChange>, pushed: boolean) => void

interface Watch extends WatchedSession {
  readonly listeners: Set<Listener>
}

/**
 * Word inside this process that a log has grown. A hint, never the truth: whoever hears it reads the log,
 * and whoever misses it finds out by the next look at the log.
 */
export class LogSignals extends Context.Service<
  LogSignals,
  {
    /**
     * Something was committed here: tells the readers of this process and whoever carries the word to others. `pushed`:
     * there may be something on lanes, too.
     */
    readonly announce: (changes: ReadonlyArray<LogChange>, pushed?: boolean) => void
    /** Word came from another process: tells the readers of this one. */
    readonly hear: (changes: ReadonlyArray<LogChange>, pushed?: boolean) => void
    /** Listens for one session's changes until the returned function is called. */
    readonly subscribe: (session: WatchedSession, listener: Listener) => () => void
    /** The sessions that somebody listens to here, in a stable order. */
    readonly watched: () => ReadonlyArray<WatchedSession>
    /** Sees every announcement of this process, until the returned function is called. */
    readonly carry: (carrier: Carrier) => () => void
    /** Hears when lanes have something to deliver, until the returned function is called. */
    readonly onPush: (listener: () => void) => () => void
  }
>()("channels/event-log/LogSignals") {
  static readonly layer = Layer.sync(LogSignals, () => {
    const watches = new Map<string, Watch>()
    const carriers = new Set<Carrier>()
    const couriers = new Set<() => void>()
    const hear = (changes: ReadonlyArray<LogChange>, pushed = false) => {
      if (pushed) for (const courier of couriers) courier()
      for (const { sessionId, cursor } of changes) {
        for (const listener of watches.get(sessionId)?.listeners ?? []) listener(cursor)
      }
    }
    return {
      hear,
      announce: (changes, pushed = false) => {
        if (changes.length === 0) return
        hear(changes, pushed)
        for (const carrier of carriers) carrier(changes, pushed)
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
      carry: (carrier) => {
        carriers.add(carrier)
        return () => carriers.delete(carrier)
      },
      onPush: (listener) => {
        couriers.add(listener)
        return () => couriers.delete(listener)
      }
    }
  })
}
