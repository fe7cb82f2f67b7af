import type { FastifyRequest } from "fastify"
import { hash, timingSafeEqual } from "node:crypto"
import { csrfFailed } from "./errors.ts"
import type { App } from "./Server.ts"
import { type Html, html } from "./page.ts"

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"])
const HEADER = "x-csrf-token"
const FIELD = "csrf"

const isSame = (one: string, other: string) => {
  const digest = (text: string) => hash("sha256", text, "buffer")
  return timingSafeEqual(digest(one), digest(other))
}

/** Browsers say which site a request is from. A client that says nothing is not a browser. */
export const isFromElsewhere = ({ headers, host }: FastifyRequest, baseUrl: string): boolean => {
  const site = headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin" && site !== "none") return true
  const { origin } = headers
  if (origin === undefined) return false
  const from = URL.parse(origin)?.host
  return from !== host && from !== new URL(baseUrl).host
}

const tokenOf = ({ headers, body }: FastifyRequest): string => {
  const given = headers[HEADER] ?? (body instanceof URLSearchParams ? body.get(FIELD) : null)
  return typeof given === "string" ? given : ""
}

const isForged = (request: FastifyRequest, baseUrl: string): boolean => {
  const { operator, method } = request
  if (operator?.csrf === undefined || SAFE.has(method)) return false
  return isFromElsewhere(request, baseUrl) || !isSame(tokenOf(request), operator.csrf)
}

/**
 * On routes of operators, an unsafe request with the cookie of a session must have the session's CSRF token, in the
 * header X-CSRF-Token or the field `csrf` of a form, and come from this server's own pages.
 */
export const refuseForgedRequests = (app: App, baseUrl: () => string): void => {
  app.addHook("preValidation", (request, _, done) => done(isForged(request, baseUrl()) ? csrfFailed : undefined))
}

/** The hidden field with the session's CSRF token, for every form of the console. */
export const csrfField = ({ operator }: FastifyRequest): Html =>
  html`<input type="hidden" name="${FIELD}" value="${operator.csrf ?? ""}" />`
