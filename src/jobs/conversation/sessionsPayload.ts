import * as Schema from "effect/Schema"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import { isShadow } from "#src/db/tenancy/shadow.ts"

/** The sessions that a job is about, each with its app. */
export const SessionsPayload = Schema.Struct({ sessions: Schema.Array(Schema.Tuple([Schema.String, Schema.String])) })

/** Those of apps. What evals play is not begun by jobs: the eval runs its turns itself. */
export const sessionsOf = ({ sessions }: typeof SessionsPayload.Type): ReadonlyArray<SessionRef> =>
  sessions.filter(([appId]) => !isShadow(appId)).map(([appId, sessionId]) => ({ appId, sessionId }))
