import { isId } from "#pipeline/domain/Id.ts"
import type { ChannelScope } from "#src/db/delivery/Alignment.ts"

/** The session or app that the path of a channel names. Undefined: it cannot belong to this app. */
export const channelScope = (
  appId: string,
  { app_id, session_id = "" }: Readonly<Record<string, string>>
): ChannelScope | undefined => {
  if (app_id !== undefined) return app_id === appId ? { appId, sessionId: null } : undefined
  return isId("ses", session_id) ? { appId, sessionId: session_id } : undefined
}
