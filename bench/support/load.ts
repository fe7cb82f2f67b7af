import autocannon from "autocannon"

export interface LoadResult {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly errors: number
}

export interface LoadOptions {
  readonly baseUrl: string
  readonly connections: number
  readonly seconds: number
  /** Requests a second over all connections; as many as go when absent. */
  readonly rate?: number
  readonly method: "GET" | "POST"
  readonly headers?: Record<string, string>
  readonly body?: string | (() => string)
  readonly path: () => string
}

/** Drives a server over HTTP with keep-alive connections, each waiting for its answer before it asks again. */
export const load = async (options: LoadOptions): Promise<LoadResult> => {
  const result = await autocannon({
    url: options.baseUrl,
    connections: options.connections,
    duration: options.seconds,
    ...(options.rate === undefined ? {} : { overallRate: options.rate }),
    headers: options.headers ?? {},
    requests: [{
      method: options.method,
      ...(typeof options.body === "string" ? { body: options.body } : {}),
      setupRequest: (request) => ({ ...request, path: options.path(), ...(typeof options.body === "function" ? { body: options.body() } : {}) })
    }]
  })
  return { perSecond: result.requests.total / result.duration, p50Ms: result.latency.p50, p99Ms: result.latency.p99, errors: result.errors + result.non2xx }
}
