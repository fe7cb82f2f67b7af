import * as Schema from "effect/Schema"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import { isShadow } from "#src/db/tenancy/shadow.ts"

/** The sessions of a job, each with its app. */
export const SessionsPayload = Schema.Struct({ sessions: Schema.Array(Schema.Tuple([Schema.String, Schema.String])) })

/** The sessions of ordinary apps. Jobs do not start eval sessions, because the eval runs their turns itself. */
export const sessionsOf = ({ sessions }: typeof SessionsPayload.Type): ReadonlyArray<SessionRef> =>
  sessions.filter(([appId]) => !isShadow(appId)).map(([appId, sessionId]) => ({ appId, sessionId }))
