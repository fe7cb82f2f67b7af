import { isId } from "#pipeline/domain/Id.ts"
import type { ChannelScope } from "#src/db/delivery/Alignment.ts"

/** The session or the app that a path of channels names. Undefined: it can be none of this app's. */
export const channelScope = (
  appId: string,
  { app_id, session_id = "" }: Readonly<Record<string, string>>
): ChannelScope | undefined => {
  if (app_id !== undefined) return app_id === appId ? { appId, sessionId: null } : undefined
  return isId("ses", session_id) ? { appId, sessionId: session_id } : undefined
}
