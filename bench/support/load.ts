import autocannon from "autocannon"
import { Pool } from "undici"
import { median, percentile, round } from "./statistics.ts"

export interface LoadResult {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  readonly errors: number
}

export interface LoadOptions {
  readonly baseUrl: string
  readonly connections: number
  readonly seconds: number
  /** Requests per second over all connections, at equal intervals. Absent: as many as possible. */
  readonly rate?: number
  readonly method: "GET" | "POST"
  readonly headers?: Record<string, string>
  readonly body?: string | (() => string)
  readonly path: () => string
}

/** Keep-alive connections, each waiting for an answer before the next request. */
const flood = async (options: LoadOptions): Promise<LoadResult> => {
  const result = await autocannon({
    url: options.baseUrl,
    connections: options.connections,
    duration: options.seconds,
    headers: options.headers ?? {},
    requests: [
      {
        method: options.method,
        ...(typeof options.body === "string" ? { body: options.body } : {}),
        setupRequest: (request) => ({
          ...request,
          path: options.path(),
          ...(typeof options.body === "function" ? { body: options.body() } : {})
        })
      }
    ]
  })
  return {
    perSecond: result.requests.total / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    maxMs: result.latency.max,
    errors: result.errors + result.non2xx
  }
}

/**
 * Open-loop load: the request times do not depend on the answers. A late answer delays no other request, and each
 * latency counts from the time when the request was due. Autocannon's rate option is different: it sends the requests
 * of a second in a burst at its beginning.
 */
const offer = async (options: LoadOptions, rate: number): Promise<LoadResult> => {
  const pool = new Pool(options.baseUrl, { connections: options.connections })
  const total = Math.floor(rate * options.seconds)
  const waitsMs = new Float64Array(total)
  let [asked, answered, errors] = [0, 0, 0]
  const startedAt = performance.now()
  const ask = async (n: number) => {
    try {
      const { statusCode, body } = await pool.request({
        method: options.method,
        path: options.path(),
        headers: options.headers ?? {},
        body: (typeof options.body === "function" ? options.body() : options.body) ?? null
      })
      await body.dump()
      if (statusCode >= 300) errors++
    } catch {
      errors++
    }
    waitsMs[n] = performance.now() - (startedAt + (n / rate) * 1000)
    answered++
  }
  // oxlint-disable-next-line no-unmodified-loop-condition -- answers count it
  while (answered < total) {
    const due = Math.min(total, ((performance.now() - startedAt) / 1000) * rate)
    while (asked < due) void ask(asked++)
    await new Promise((resume) => setTimeout(resume, 1))
  }
  const perSecond = (total / (performance.now() - startedAt)) * 1000
  await pool.close()
  const waits = [...waitsMs]
  return {
    perSecond,
    p50Ms: round(median(waits)),
    p99Ms: round(percentile(waits, 0.99)),
    maxMs: round(percentile(waits, 1)),
    errors
  }
}

/** Runs load against a server over HTTP. */
export const load = (options: LoadOptions): Promise<LoadResult> =>
  options.rate === undefined ? flood(options) : offer(options, options.rate)
