import type { FastifyRequest } from "fastify"
import { charsetUnsupported, encodingUnsupported, mediaTypeUnsupported } from "#src/http/server/errors.ts"

/** The kinds of body that a route accepts. Forms are sent by browsers from a page, and by OAuth client libraries. */
export type Accepted = "json" | "form" | "json or form" | "anything"

const NAMES: Readonly<Record<Accepted, string>> = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  "json or form": "application/json or application/x-www-form-urlencoded",
  anything: "*/*"
}
const MAX_SHOWN = 80

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0"

const isJson = (type: string): boolean =>
  type === "application/json" || (type.startsWith("application/") && type.endsWith("+json"))

const fits = (type: string, accepted: Accepted): boolean =>
  accepted === "anything" ||
  (accepted !== "form" && isJson(type)) ||
  (accepted !== "json" && type === "application/x-www-form-urlencoded")

const CHARSET = /;\s{0,8}charset\s{0,8}=\s{0,8}"?([^\s";]{1,80})/i
/** US-ASCII is a subset of UTF-8. */
const READABLE_CHARSETS = new Set(["utf-8", "utf8", "us-ascii"])

/**
 * Refuses a body by its headers before it is read: if it is compressed, not in UTF-8, or neither JSON nor what the
 * route accepts. A body without a Content-Type is treated as what the route accepts. The Content-Type of an empty body
 * is ignored.
 */
export const requireReadable = (request: FastifyRequest): void => {
  if (!hasBody(request)) {
    // Fastify refuses an invalid type even without a body.
    delete request.headers["content-type"]
    return
  }
  const { accepts = "json" } = request.routeOptions.config
  const encoding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity"
  if (encoding !== "identity" && encoding !== "") throw encodingUnsupported(encoding.slice(0, MAX_SHOWN))
  const given = request.headers["content-type"]
  if (given === undefined) return
  const type = given.split(";", 1)[0]?.trim().toLowerCase() ?? ""
  if (!fits(type, accepts)) throw mediaTypeUnsupported(type.slice(0, MAX_SHOWN), NAMES[accepts])
  const charset = CHARSET.exec(given)?.[1]
  if (charset !== undefined && accepts !== "anything" && !READABLE_CHARSETS.has(charset.toLowerCase()))
    throw charsetUnsupported(charset)
}
