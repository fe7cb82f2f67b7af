import type { FastifyRequest } from "fastify"
import { hash } from "node:crypto"
import type { Readable } from "node:stream"
import { CRASH_LIMIT, type Crashes } from "#src/units/attempt.ts"
import { during } from "#src/units/currentUnit.ts"
import { type Unit, unitOf } from "#src/units/Unit.ts"
import { callerOf } from "./Credential.ts"
import { requestGivenUp } from "./errors.ts"
import type { ParseBody } from "./body/parsing.ts"
import { readBytes } from "./body/readBytes.ts"

declare module "fastify" {
  interface FastifyInstance {
    /** How often requests have crashed their process. */
    readonly crashes: (typeof Crashes)["Service"]
  }
}

const units = new WeakMap<FastifyRequest, Unit>()

/** `digest`: the SHA-1 of the body, or of the URL if there is none. */
const name = (request: FastifyRequest, digest: string): Unit => {
  const caller = callerOf(request) ?? ""
  const unit = unitOf("request", caller, `${request.method} ${request.routeOptions.url ?? ""} ${digest}`)
  units.set(request, unit)
  return unit
}

/**
 * The unit of work of a request: the same caller, route and body (or URL, if there is no body) are the same unit. Null
 * before authentication: a tenant's request must not be given up because of another tenant's.
 */
export const unitOfRequest = (request: FastifyRequest): Unit | null =>
  units.get(request) ?? (callerOf(request) === null ? null : name(request, hash("sha1", request.url)))

export const isGivenUp = (request: FastifyRequest, unit: Unit): boolean =>
  request.server.crashes.of(unit) >= CRASH_LIMIT

/**
 * Reads a body in the unit of its request, unless that was given up. The code up to the handler's first wait runs in
 * the unit.
 */
export const takeBody =
  (parse: ParseBody) =>
  (request: FastifyRequest, payload: Readable, done: Parameters<ParseBody>[2]): void =>
    readBytes(request, payload, (error, body) => {
      if (body === undefined) return done(error)
      const unit = name(request, body.digest)
      if (isGivenUp(request, unit)) done(requestGivenUp)
      else during(unit, () => parse(request, body.bytes, done))
    })
