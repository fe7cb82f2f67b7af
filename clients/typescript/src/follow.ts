import { backoffMs } from "./backoff.ts"
import { ApiError, ConnectionError, TimeoutError } from "./errors.ts"
import type { Event } from "./generated/types.gen.ts"
import { framesOf } from "./sse.ts"
import type { RequestOptions, Transport } from "./transport.ts"

export interface FollowOptions<Cursor> {
  /** Exclusive: only what comes after this cursor. Default: everything that is kept. */
  readonly since?: Cursor
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal
  /** Called when a connection was lost. It is opened again in any case. */
  readonly onReconnect?: (error: unknown, cursor: Cursor) => void
  /** Only poll, for instance because a proxy holds streams back. Default false. */
  readonly poll?: boolean
}

/** A log that can be streamed and polled from a cursor. */
export interface Log<Cursor> {
  readonly path: string
  readonly start: Cursor
  readonly query?: Readonly<Record<string, unknown>>
  /** The cursor after an event, from the id of its frame. */
  readonly parse: (id: string) => Cursor
  /** Whether an event that arrives again was there before. Only for cursors that have an order. */
  readonly isSeen?: (event: Event, cursor: Cursor) => boolean
  /** The cursor of an event of a page. Undefined: only the page as a whole has one. */
  readonly cursorOf?: (event: Event) => Cursor
}

/** The events of a log, in order and each once, until the iteration is ended. */
export interface Following<Cursor> extends AsyncGenerator<Event, void, undefined> {
  /**
   * The cursor after the last event that was handled: the one before the event that the loop has now. Store it to
   * continue from here later.
   */
  readonly cursor: Cursor
}

const LONGEST_POLL_SECONDS = 25
const FIRST_RETRY_MS = 1_000
/** After so many streams in a row that brought nothing, events are polled for a while. */
const STREAMS_BEFORE_POLLING = 3
const POLLS_BEFORE_STREAMING = 12
/** The server keeps a stream open for minutes. One that ends sooner was ended by something in between. */
const SHORT_STREAM_MS = 5_000

const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  error instanceof TimeoutError ||
  (error instanceof ApiError &&
    ([408, 429, 500, 502, 504].includes(error.status) || (error.status === 503 && error.code === null)))

interface Page<Cursor> {
  readonly data: { readonly events: ReadonlyArray<Event>; readonly next_cursor: Cursor; readonly has_more: boolean }
}
interface Item<Cursor> {
  readonly event: Event
  /** The cursor after it. Undefined: not the last of its page, and its page is read again from the start. */
  readonly after: Cursor | undefined
}

async function* streamed<Cursor>(
  transport: Transport,
  log: Log<Cursor>,
  since: Cursor,
  signal: AbortSignal,
  onRetry: (ms: number) => void
): AsyncGenerator<Item<Cursor>, void> {
  const ending = new AbortController()
  const stop = () => ending.abort(signal.reason)
  signal.addEventListener("abort", stop, { once: true })
  try {
    if (signal.aborted) throw signal.reason
    const call = { method: "GET", path: `${log.path}/stream`, query: { ...log.query, since } }
    const response = await transport.open(call, ending.signal)
    for await (const { id, data } of framesOf(response, onRetry))
      yield { event: JSON.parse(data) as Event, after: log.parse(id) }
  } finally {
    signal.removeEventListener("abort", stop)
    // A response that is not read to its end would keep its connection.
    ending.abort()
  }
}

async function* polled<Cursor>(
  transport: Transport,
  log: Log<Cursor>,
  since: Cursor,
  signal: AbortSignal,
  times: number
): AsyncGenerator<Item<Cursor>, void> {
  let from = since
  for (let round = 0; round < times; round++) {
    const query = { ...log.query, since: from, wait: LONGEST_POLL_SECONDS }
    const options: RequestOptions = { signal, maxRetries: 0 }
    const { text } = await transport.send({ method: "GET", path: log.path, query, options })
    const { events, next_cursor } = (JSON.parse(text) as Page<Cursor>).data
    for (const [index, event] of events.entries())
      yield { event, after: log.cursorOf?.(event) ?? (index === events.length - 1 ? next_cursor : undefined) }
    from = next_cursor
  }
}

/**
 * Follows a log: streams it, connects again from the last cursor, and polls while streams bring nothing. Ends when its
 * signal is aborted or the loop is left, and fails only if the server refuses it. `cursor_expired`: events after the
 * cursor are missing, or the log has lost what was seen. `detail.earliest_since` says where to start again.
 */
export const follow = <Cursor extends number | string>(
  transport: Transport,
  log: Log<Cursor>,
  { since = log.start, signal: given, onReconnect, poll = false }: FollowOptions<Cursor>
): Following<Cursor> => {
  const own = new AbortController()
  const signal = given === undefined ? own.signal : AbortSignal.any([given, own.signal])
  let handled = since
  let retryMs = FIRST_RETRY_MS

  async function* run(): AsyncGenerator<Event, void, undefined> {
    let cursor = since
    let failures = 0
    let barren = 0
    try {
      while (!signal.aborted) {
        const isPolling = poll || barren >= STREAMS_BEFORE_POLLING
        let brought = 0
        const began = Date.now()
        try {
          const items = isPolling
            ? polled(transport, log, cursor, signal, poll ? Number.POSITIVE_INFINITY : POLLS_BEFORE_STREAMING)
            : streamed(transport, log, cursor, signal, (ms) => (retryMs = ms))
          for await (const { event, after } of items) {
            if (log.isSeen?.(event, cursor) === true) continue
            brought++
            failures = 0
            yield event
            if (after !== undefined) handled = cursor = after
          }
          const isShort = Date.now() - began < SHORT_STREAM_MS
          barren = isPolling || brought > 0 ? 0 : barren + (isShort ? 1 : 0)
        } catch (error) {
          if (signal.aborted) return
          if (!isPassing(error)) throw error
          if (!isPolling) barren = brought > 0 ? 0 : barren + 1
          onReconnect?.(error, cursor)
          failures++
        }
        // The server ends every connection within five minutes, and says when to return.
        if (!isPolling || failures > 0)
          await transport.wait(failures > 0 ? backoffMs(failures) : retryMs, signal).catch(() => {})
      }
    } finally {
      own.abort()
    }
  }
  const events = run()
  const { return: leave } = events
  return Object.defineProperty(
    Object.assign(events, {
      // A loop that is left while it waits for an event ends at once, and with it the connection.
      return: (value: void | PromiseLike<void>) => {
        own.abort()
        return leave.call(events, value)
      }
    }),
    "cursor",
    { get: () => handled, enumerable: true }
  ) as unknown as Following<Cursor>
}
