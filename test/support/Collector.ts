import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { gunzipSync } from "node:zlib"

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Record<string, unknown> }>
  readonly status: { readonly code: number }
}
export const attribute = (span: Span, key: string) =>
  Object.values(span.attributes.find((a) => a.key === key)?.value ?? {})[0]

/** An OTLP collector that keeps what it receives as JSON. */
export interface Collector {
  readonly url: string
  /** All bodies of a path such as `/v1/traces`, or of all paths, as text. */
  readonly text: (path?: string) => string
  readonly paths: () => ReadonlyArray<string>
  readonly authorizations: () => ReadonlyArray<string | undefined>
  readonly spans: () => ReadonlyArray<Span>
  readonly close: () => void
}

export const startCollector = async (): Promise<Collector> => {
  const received: Array<{ readonly path: string; readonly authorization: string | undefined; readonly body: string }> =
    []
  const server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    const body = (request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString()
    received.push({ path: request.url ?? "", authorization: request.headers.authorization, body })
    response.writeHead(200, { "content-type": "application/json" }).end("{}")
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    text: (path) => received.flatMap((one) => (path === undefined || one.path === path ? [one.body] : [])).join("\n"),
    paths: () => [...new Set(received.map(({ path }) => path))].sort(),
    authorizations: () => [...new Set(received.map(({ authorization }) => authorization))],
    spans: () =>
      received.flatMap(({ body }) =>
        (JSON.parse(body).resourceSpans ?? []).flatMap(
          (resource: { scopeSpans: ReadonlyArray<{ spans: Array<Span> }> }) =>
            resource.scopeSpans.flatMap((scope) => scope.spans)
        )
      ),
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
