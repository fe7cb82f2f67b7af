import type { FastifyReply, FastifyRequest } from "fastify"
import { ApiError } from "#src/http/server/ApiError.ts"
import { validationError } from "#src/http/server/errors.ts"
import { fromFastify, jsonBody } from "#src/http/server/body/parsing.ts"
import type { App } from "#src/http/server/Server.ts"
import { findUnstorable } from "#src/http/server/body/unstorable.ts"

const BODY_LIMIT_BYTES = 16 * 1024

/** Requests with a form body. They get the answers of RFC 8628, without the envelope. */
const plain = new WeakSet<FastifyRequest>()
export const isPlainOAuth = (request: FastifyRequest): boolean => plain.has(request)

/** A form of RFC 8628 as the corresponding JSON body. */
const fromForm = (form: URLSearchParams) => {
  const given = (name: string) => {
    const value = form.get(name)
    return value === null || value === "" ? undefined : value
  }
  const body = {
    client_name: given("client_id"),
    scopes: given("scope")
      ?.split(" ")
      .filter((scope) => scope !== ""),
    device_code: given("device_code"),
    grant_type: given("grant_type") ?? ""
  }
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
}

/** The error name in RFC 6749 and RFC 8628. */
const nameOf = ({ code, message, status }: ApiError): string => {
  if (code === null) return "temporarily_unavailable"
  if (code === "internal_error") return "server_error"
  if (code !== "validation_error") return code
  return status !== 422
    ? code
    : message.startsWith("body.grant_type")
      ? "unsupported_grant_type"
      : message.startsWith("body.scopes")
        ? "invalid_scope"
        : "invalid_request"
}
const STATUS_KEPT: ReadonlySet<string> = new Set(["account_device_rate_limited", "account_sign_in_disabled"])

const sendPlain = (reply: FastifyReply, error: ApiError) => {
  const status = error.status >= 500 || STATUS_KEPT.has(error.code ?? "") ? error.status : 400
  if (error.retryAfterSeconds !== undefined) void reply.header("retry-after", String(error.retryAfterSeconds))
  return reply
    .code(status)
    .header("content-type", "application/json; charset=utf-8")
    .send(JSON.stringify({ error: nameOf(error), error_description: `${error.message} ${error.fix}`.trim() }))
}

/**
 * Lets routes use plain OAuth for form bodies, as OAuth clients send them, and JSON for all others. `curl -d '{...}'`
 * also declares its JSON as a form, so a body that begins with a brace is JSON.
 */
export const servePlainOAuth = (app: App): void => {
  app.addHook("onRoute", (route) => {
    route.bodyLimit = BODY_LIMIT_BYTES
    route.config = { ...route.config, accepts: "json or form" }
  })
  app.addContentTypeParser<Buffer>(
    "application/x-www-form-urlencoded",
    { parseAs: "buffer" },
    (request, bytes, done) => {
      const text = bytes.toString()
      if (text.trim() === "" || text.trimStart().startsWith("{")) return jsonBody(request, bytes, done)
      plain.add(request)
      const form = new URLSearchParams(text)
      const body = fromForm(form)
      if (new Set(form.keys()).size < form.size)
        return done(validationError("body: a parameter must not be given twice"))
      const unstorable = findUnstorable(body)
      return unstorable === null
        ? done(null, body)
        : done(validationError(`body.${unstorable}: must not contain U+0000 or half a surrogate pair`))
    }
  )
  app.setErrorHandler((thrown: unknown, request, reply) => {
    const error = thrown instanceof ApiError ? thrown : fromFastify(thrown as Error, BODY_LIMIT_BYTES)
    if (error === null || !isPlainOAuth(request)) throw thrown
    return sendPlain(reply, error)
  })
}
