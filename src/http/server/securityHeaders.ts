import helmet from "helmet"
import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"

const secure = helmet({
  frameguard: { action: "deny" },
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } }
})

/** The headers that helmet adds to every answer. They are constant, so they are computed once and not per request. */
export const securityHeaders = (): Readonly<Record<string, string>> => {
  const request = new IncomingMessage(new Socket())
  const answer = new ServerResponse(request)
  secure(request, answer, () => {})
  return Object.fromEntries(Object.entries(answer.getHeaders()).map(([name, value]) => [name, String(value)]))
}
