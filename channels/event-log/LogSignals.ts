import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

export interface LogChange {
  readonly appId: string
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
  /** The last cursor that a listener or a notification has named. A log that ends before it has lost events. */
  known: number
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
    /** The ends of these logs, as they were just read. They replace what was known, even if that was more. */
    readonly found: (ends: ReadonlyArray<LogChange>) => void
    /**
     * Subscribes to one session's changes, as a reader of what is after this cursor. A cursor that the listener is
     * called with may be lower: the log has lost events, or the signal is late. The returned function unsubscribes.
     */
    readonly subscribe: (session: WatchedSession, since: number, listener: Listener) => () => void
    /** The sessions with listeners in this process, in a stable order. */
    readonly watched: () => ReadonlyArray<WatchedSession & { readonly known: number }>
    /** Subscribes to the changes of all logs of an app. The returned function unsubscribes. */
    readonly subscribeApp: (appId: string, listener: () => void) => () => void
    /** The apps with listeners of their own in this process, in a stable order. */
    readonly watchedApps: () => ReadonlyArray<string>
    /** Calls the listeners of an app. */
    readonly wakeApp: (appId: string) => void
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
    const apps = new Map<string, Set<() => void>>()
    const wakeApp = (appId: string) => {
      for (const listener of apps.get(appId) ?? []) listener()
    }
    const receive = (changes: ReadonlyArray<LogChange>, pushed = false) => {
      if (pushed) for (const courier of couriers) courier()
      for (const { sessionId, cursor } of changes) {
        const watch = watches.get(sessionId)
        if (watch === undefined) continue
        watch.known = Math.max(watch.known, cursor)
        for (const listener of watch.listeners) listener(cursor)
      }
      if (apps.size > 0) for (const appId of new Set(changes.map((change) => change.appId))) wakeApp(appId)
    }
    return {
      receive,
      announce: (changes, pushed = false) => {
        if (changes.length === 0) return
        receive(changes, pushed)
        for (const forwarder of forwarders) forwarder(changes, pushed)
      },
      found: (ends) => {
        for (const { sessionId, cursor } of ends) {
          const watch = watches.get(sessionId)
          if (watch !== undefined) watch.known = cursor
        }
        receive(ends)
      },
      subscribe: ({ appId, sessionId }, since, listener) => {
        const watch: Watch = watches.get(sessionId) ?? { appId, sessionId, known: since, listeners: new Set() }
        watches.set(sessionId, watch)
        watch.known = Math.max(watch.known, since)
        watch.listeners.add(listener)
        return () => {
          watch.listeners.delete(listener)
          if (watch.listeners.size === 0 && watches.get(sessionId) === watch) watches.delete(sessionId)
        }
      },
      watched: () => [...watches.values()],
      subscribeApp: (appId, listener) => {
        const listeners = apps.get(appId) ?? new Set()
        apps.set(appId, listeners)
        listeners.add(listener)
        return () => {
          listeners.delete(listener)
          if (listeners.size === 0 && apps.get(appId) === listeners) apps.delete(appId)
        }
      },
      watchedApps: () => [...apps.keys()],
      wakeApp,
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
