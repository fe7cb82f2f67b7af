import { countersByTwo } from "#pipeline/telemetry/metric.ts"
import type { App } from "./Server.ts"

const requests = countersByTwo("troupe_http_requests_total", "Answered requests, by method and class of status", [
  "method",
  "status"
])
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
const CLASSES = ["1xx", "1xx", "2xx", "3xx", "4xx", "5xx"] as const

/** Counts every answered request. */
export const countRequests = (app: App): void => {
  app.addHook("onResponse", (request, reply, done) => {
    const method = METHODS.has(request.method) ? request.method : "other"
    requests(method, CLASSES[Math.floor(reply.statusCode / 100)] ?? "other").add()
    done()
  })
}
