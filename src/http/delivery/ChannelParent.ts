import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { isId } from "#pipeline/domain/Id.ts"
import { Sessions } from "#src/db/conversation/Sessions.ts"
import type { ChannelScope } from "#src/db/delivery/Alignment.ts"
import { curl } from "#src/http/server/envelope.ts"
import { channelScope } from "./channelScope.ts"
import { sessionNotFound } from "#src/http/conversation/conversationErrors.ts"
import { sessionExists } from "#src/http/conversation/sessionExists.ts"
import { appExists } from "#src/http/tenancy/appExists.ts"
import { appNotFound } from "#src/http/tenancy/tenancyErrors.ts"
import { channelNotFound } from "./deliveryErrors.ts"

/** The two homes of channels. */
export const CHANNEL_PARENTS = [
  {
    exists: sessionExists,
    absent: sessionNotFound,
    param: "session_id",
    path: "/v1/sessions/:session_id/channels",
    name: "SessionChannel",
    title: "of a session"
  },
  {
    exists: appExists,
    absent: appNotFound,
    param: "app_id",
    path: "/v1/apps/:app_id/channels",
    name: "AppChannel",
    title: "for every session of the app"
  }
] as const

export type ChannelParent = (typeof CHANNEL_PARENTS)[number]

/** The scope and channel in a path with a channel id. */
export const findScope = Effect.fnUntraced(function* (request: FastifyRequest) {
  const given = request.params as Record<string, string>
  const scope = channelScope(request.principal.appId, given)
  const id = given["channel_id"] ?? ""
  return scope !== undefined && isId("chn", id) ? { scope, id } : yield* channelNotFound
})

/** The scope in a path without a channel id. */
export const parentScope = Effect.fnUntraced(function* ({ absent }: ChannelParent, request: FastifyRequest) {
  const scope = channelScope(request.principal.appId, request.params as Record<string, string>)
  if (scope === undefined) return yield* absent
  const { appId, sessionId } = scope
  if (sessionId !== null && (yield* Sessions.use((sessions) => sessions.get(appId, sessionId))) === undefined)
    return yield* sessionNotFound
  return scope
})

/** The possible next actions for a channel. */
export const channelActions = (
  baseUrl: string,
  { path }: ChannelParent,
  { appId, sessionId }: ChannelScope,
  id: string
) => {
  const at = `${path.replace(":session_id", sessionId ?? "").replace(":app_id", appId)}/${id}`
  return [
    { command: curl(baseUrl, "POST", `${at}/test`), description: "Send a test event now" },
    { command: curl(baseUrl, "GET", at), description: "See the status of the channel" },
    ...(sessionId === null
      ? []
      : [
          {
            command: curl(baseUrl, "GET", `/v1/sessions/${sessionId}/delivery?channel_id=${id}`),
            description: "See what was delivered"
          }
        ])
  ]
}
