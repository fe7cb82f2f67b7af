/**
 * SQLSTATE classes after which the server has closed the session or accepts no work: 08 connection, 57P0x shutdown and
 * termination, 25P03 idle transaction timeout, 25006 the server takes no writes (any more), 53300 too many
 * connections, 3D000 the database does not exist (any more).
 */
const GONE = /^(08|57P0|25P03|25006|53300|3D000)/
/** The server takes no writes: a standby, or a primary that was demoted. */
export const READ_ONLY = "25006"

/** The server lacks disk or memory (53), or the system under it failed (58). Nothing was committed. */
const LACKING = /^(53|58)/
export const isLacking = (sqlState: string | null): boolean => sqlState !== null && LACKING.test(sqlState)

/** postgres.js reports its own connection errors in `code`, in capitals with underscores. */
const CONNECTION = /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/

/** PgBouncer's answer to a connection with settings that it neither knows nor is told to ignore. */
const START_REFUSED = /^unsupported startup parameter/
export const isStartRefused = (cause: unknown): boolean => cause instanceof Error && START_REFUSED.test(cause.message)

/** Classifies what postgres.js throws: the server refused, or there was no answer. */
export const classify = (
  cause: unknown
): { readonly reason: "unreachable" | "refused"; readonly sqlState: string | null } => {
  const code =
    typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string" ? cause.code : null
  if (code === null) return { reason: "refused", sqlState: null }
  if (isStartRefused(cause)) return { reason: "refused", sqlState: code }
  return { reason: GONE.test(code) || CONNECTION.test(code) ? "unreachable" : "refused", sqlState: code }
}
