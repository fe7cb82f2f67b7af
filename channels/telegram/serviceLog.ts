import { isId } from "#pipeline/domain/Id.ts"

/**
 * Whether this is the log of a chat for service replies while there is no session. Its lane is like any other, and the
 * API does not know it.
 */
export const isServiceLog = (sessionId: string): boolean => isId("svc", sessionId)

/** The session that an event is of, as the app knows it. */
export const sessionIdOf = ({ sessionId }: { readonly sessionId: string }): string | null =>
  isServiceLog(sessionId) ? null : sessionId
