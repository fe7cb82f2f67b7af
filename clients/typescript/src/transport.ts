import { backoffMs, retryAfterMs, sleep } from "./backoff.ts"
import { ApiError, apiErrorOf, ConnectionError, TimeoutError } from "./errors.ts"

export interface ClientOptions {
  /** A runtime key, `ck_...`. Keep it on your server. */
  readonly apiKey: string
  /** The address of the server, such as `https://troupe.example.com`. */
  readonly baseUrl: string
  /** How often a request is tried again. Default 5. */
  readonly maxRetries?: number
  /** How long one attempt may take, in milliseconds, with its whole answer. Default 60,000. */
  readonly timeoutMs?: number
  /** Changes how long the client waits before it tries again, in milliseconds, for instance in tests. */
  readonly waitMs?: (proposed: number) => number
  /** Instead of the global fetch. */
  readonly fetch?: typeof globalThis.fetch
}

/** What a call may say of its own request. */
export interface RequestOptions {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly maxRetries?: number
  /** For a write that accepts one. Default: a new one for each call, unchanged across its retries. */
  readonly idempotencyKey?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Call {
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly body?: unknown
  readonly takesKey?: boolean
  readonly options?: RequestOptions | undefined
}

/** An answer, read to its end. */
export interface Answered {
  readonly response: Response
  readonly text: string
  readonly requestId: string | null
}

const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
/** The server has done nothing of the request. */
const UNDONE: ReadonlySet<number> = new Set([408, 429])
const DEFAULT_TIMEOUT_MS = 60_000
const DEFAULT_RETRIES = 5

/**
 * Whether a second request has no second effect: it reads, it sets what it says, or it repeats its key. A merge patch
 * with expected_version would find the version that it has made itself.
 */
const isRepeatable = ({ method, path, body, takesKey }: Call): boolean =>
  method === "GET" ||
  method === "PUT" ||
  method === "DELETE" ||
  takesKey === true ||
  path.endsWith("/search") ||
  (method === "PATCH" && (typeof body !== "object" || body === null || !("expected_version" in body)))

const queryText = (query: Readonly<Record<string, unknown>> = {}): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, String(value)] as [string, string]]
  )
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`
}

const waitMs = (query: Call["query"]): number => {
  const wait = Number(query?.["wait"] ?? 0)
  return Number.isFinite(wait) ? wait * 1000 : 0
}

/** Sends requests of one app, each as often as it takes and is safe. */
export class Transport {
  readonly #options: ClientOptions
  readonly #baseUrl: string

  constructor(options: ClientOptions) {
    this.#options = options
    this.#baseUrl = options.baseUrl.replace(/\/+$/, "")
  }

  /** Sends one request. `signal` ends it, and with it its body. Fails with a ConnectionError or the signal's reason. */
  async #fetch({ method, path, query, body }: Call, headers: Record<string, string>, signal: AbortSignal) {
    const fetch = this.#options.fetch ?? globalThis.fetch
    try {
      return await fetch(this.#baseUrl + path + queryText(query), {
        method,
        signal,
        // A redirect would turn a POST into a GET, and send the key to another address.
        redirect: "manual",
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) })
      })
    } catch (cause) {
      if (signal.aborted) throw signal.reason
      throw new ConnectionError(`${this.#baseUrl} cannot be reached`, { cause })
    }
  }

  #headers({ body, takesKey, options = {} }: Call): Record<string, string> {
    return {
      accept: "application/json",
      ...options.headers,
      authorization: `Bearer ${this.#options.apiKey}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(takesKey === true && { "idempotency-key": options.idempotencyKey ?? crypto.randomUUID() })
    }
  }

  async #attempt(call: Call, headers: Record<string, string>): Promise<Answered> {
    const { signal, timeoutMs = this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS } = call.options ?? {}
    signal?.throwIfAborted()
    const whole = timeoutMs + waitMs(call.query)
    const timeout = AbortSignal.timeout(whole)
    const ends = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
    try {
      const response = await this.#fetch(call, headers, ends)
      const text = await response.text().catch((cause: unknown) => {
        if (ends.aborted) throw ends.reason
        throw new ConnectionError("the connection broke before the whole answer was there", { cause })
      })
      if (!response.ok) throw apiErrorOf(response.status, text, response.headers)
      return { response, text, requestId: response.headers.get("x-request-id") }
    } catch (error) {
      if (timeout.aborted && signal?.aborted !== true) throw new TimeoutError(`no answer within ${whole} ms`)
      throw error
    }
  }

  /** Waits before another attempt. */
  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return sleep(this.#options.waitMs?.(ms) ?? ms, signal)
  }

  /** How long to wait before the next attempt. Null: there is none. */
  #delay(call: Call, error: unknown, failures: number): number | null {
    if (failures > (call.options?.maxRetries ?? this.#options.maxRetries ?? DEFAULT_RETRIES)) return null
    if (!(error instanceof ApiError)) {
      const isLost = error instanceof ConnectionError || error instanceof TimeoutError
      return isLost && isRepeatable(call) ? backoffMs(failures) : null
    }
    const { status, code, headers } = error
    // The operator has disabled it.
    if (!PASSING.has(status) || (status === 503 && code !== null)) return null
    if (!isRepeatable(call) && !UNDONE.has(status)) return null
    const after = retryAfterMs(headers)
    return after === null ? null : Math.max(after ?? 0, backoffMs(failures))
  }

  /** The answer of a request, after as many attempts as needed. */
  async send(call: Call): Promise<Answered> {
    // Made once, so that every attempt has the same Idempotency-Key.
    const headers = this.#headers(call)
    for (let failures = 1; ; failures++) {
      try {
        return await this.#attempt(call, headers)
      } catch (error) {
        const delay = this.#delay(call, error, failures)
        if (delay === null) throw error
        await this.wait(delay, call.options?.signal)
      }
    }
  }

  /** A response while it streams in, until the signal is aborted. Not tried again. */
  async open(call: Call, signal: AbortSignal): Promise<Response> {
    const response = await this.#fetch(call, { ...this.#headers(call), accept: "*/*" }, signal)
    if (response.ok) return response
    throw apiErrorOf(response.status, await response.text().catch(() => ""), response.headers)
  }
}
