import type { FastifyRequest } from "fastify"
import type { RollingLimit } from "#src/db/tenancy/RollingLimits.ts"
import type { Principal } from "#src/accounts/Authentication.ts"
import { clientAddress, clientSite } from "./clientAddress.ts"
import { clientFingerprint } from "./clientFingerprint.ts"

/** Who is counted. `site`: the /48 of an IPv6 address. `account`: the one that a person signs in to. */
type Per = "address" | "site" | "fingerprint" | "account"

/** A limit over a rolling window. Without `most`, the number is a setting of the server. */
export interface RouteLimit extends Omit<RollingLimit, "subject" | "most"> {
  readonly most?: number
  readonly per: Per
}

/** One of a client, with a number that is no setting. */
export interface ClientLimit extends RouteLimit {
  readonly most: number
  readonly per: Exclude<Per, "account">
}

/**
 * What a request takes from the limits and the budget of its caller. Each route declares it. The server counts by the
 * declaration, and the OpenAPI document shows it.
 */
export interface Cost {
  /** `0`: not counted. Default: one of the requests per minute of its app, account or address. */
  readonly requests?: 0
  /** One of the messages per minute of its app. */
  readonly messages?: 1
  /** Counts as an open read of its app for as long as it waits or streams. */
  readonly reads?: 1
  /** One in each of these windows. */
  readonly rolling?: ReadonlyArray<RouteLimit>
  /** What the app pays for. If its budget does not cover it, the answer is 402. */
  readonly pays?: string
}

/** A limit that a handler counts must be declared by its route, or the document would not show it. */
const declared = <K extends keyof Cost>({ routeOptions }: FastifyRequest, kind: K): NonNullable<Cost[K]> => {
  const cost = routeOptions.config.cost?.[kind]
  if (cost === undefined) throw new Error(`${routeOptions.url ?? "the route"} does not declare ${kind} as its cost`)
  return cost
}

/** The app whose messages per minute are counted. */
export const senderOf = (request: FastifyRequest): string => {
  declared(request, "messages")
  return request.principal.appId
}

/** The app whose open reads are counted. */
export const readerOf = (request: FastifyRequest): Principal => {
  declared(request, "reads")
  return request.principal
}

const subjectOf: Record<Exclude<Per, "account">, (request: FastifyRequest) => string | null> = {
  address: ({ ip }) => clientAddress(ip),
  site: ({ ip }) => clientSite(ip),
  fingerprint: clientFingerprint
}

/** The windows of these limits in which a client is counted. One with an IPv4 address has no site. */
export const clientWindows = (
  request: FastifyRequest,
  limits: ReadonlyArray<ClientLimit>
): ReadonlyArray<RollingLimit> =>
  limits.flatMap(({ per, ...window }) => {
    const subject = subjectOf[per](request)
    return subject === null ? [] : [{ ...window, subject }]
  })

/**
 * The windows in which a request is counted, in the declared order: those of the client, or those of the account that
 * it has signed in to. A client with an IPv4 address has no site.
 */
export const windowsOf = (
  request: FastifyRequest,
  accountId?: string
): ReadonlyArray<Omit<RollingLimit, "most"> & { readonly most?: number }> =>
  declared(request, "rolling").flatMap(({ per, ...window }) => {
    const subject = per === "account" ? (accountId ?? null) : accountId === undefined ? subjectOf[per](request) : null
    return subject === null ? [] : [{ ...window, subject }]
  })
