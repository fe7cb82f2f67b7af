import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server"
import type { ApiRefusal } from "../Api.ts"

/** The codes of the Events extension. Those of JSON-RPC are used for the rest. */
export const EVENT_ERROR = {
  notFound: -32011,
  forbidden: -32012,
  resourceExhausted: -32013,
  unsupported: -32014,
  callbackEndpoint: -32015
} as const

interface Detail {
  readonly code?: unknown
  readonly message?: unknown
  readonly fix?: unknown
  readonly earliest_since?: unknown
  readonly reason?: unknown
}

const isDetail = (detail: unknown): detail is Detail => typeof detail === "object" && detail !== null

const textOf = (detail: unknown): string => {
  if (typeof detail === "string") return detail
  const { message, fix } = isDetail(detail) ? detail : {}
  return [message, fix].filter((part) => typeof part === "string").join(" ") || "The request failed."
}

/** The address of a subscription did not confirm it. */
const isUnverified = (detail: unknown): detail is Detail => isDetail(detail) && detail.code === "channel_unverified"

const codeOf = ({ status, detail }: ApiRefusal): number => {
  if (status === 429 || (isDetail(detail) && detail.code === "channel_limit_reached"))
    return EVENT_ERROR.resourceExhausted
  if (isUnverified(detail)) return EVENT_ERROR.callbackEndpoint
  if (status === 401 || status === 403) return EVENT_ERROR.forbidden
  if (status === 404) return EVENT_ERROR.notFound
  return status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams
}

/** The cursor to continue from, if the answer says that one has expired. */
export const continueFrom = ({ status, detail }: ApiRefusal): string | undefined =>
  status === 410 && isDetail(detail) && typeof detail.earliest_since === "string" ? detail.earliest_since : undefined

/** An error of the API as one of the extension. Its data has the error in the form of the contract. */
export const eventError = (refusal: ApiRefusal): ProtocolError => {
  const cursor = continueFrom(refusal)
  const data = {
    status: refusal.status,
    detail: refusal.detail,
    ...(cursor !== undefined && { cursor }),
    ...(isUnverified(refusal.detail) && { reason: refusal.detail.reason })
  }
  return new ProtocolError(codeOf(refusal), textOf(refusal.detail), data)
}

/** There is no such event type, or no such subscription. */
export const notFound = (kind: "event" | "subscription", message: string) =>
  new ProtocolError(EVENT_ERROR.notFound, message, { kind })

/** It is well formed, but not offered here. */
export const unsupported = (feature: string, value: string, message: string) =>
  new ProtocolError(EVENT_ERROR.unsupported, message, { feature, value })

/** Each stream has a page in memory. */
export const tooManyStreams = (most: number) =>
  new ProtocolError(EVENT_ERROR.resourceExhausted, `At most ${most} event streams at once. Use the type feed for all.`)
