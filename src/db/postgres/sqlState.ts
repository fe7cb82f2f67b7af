/**
 * SQLSTATE classes after which the server has dropped the session, or takes no work: 08 connection, 57P0x shutdown and
 * termination, 25P03 a transaction that was silent for too long, 53300 too many connections, 3D000 no such database
 * (any more).
 */
const GONE = /^(08|57P0|25P03|53300|3D000)/

/** postgres.js names its own connection troubles in `code`, in capitals with underscores. */
const CONNECTION = /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/

/** Sorts what postgres.js throws: did the server refuse, or did we never get an answer? */
export const classify = (
  cause: unknown
): { readonly reason: "unreachable" | "refused"; readonly sqlState: string | null } => {
  const code =
    typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string" ? cause.code : null
  if (code === null) return { reason: "refused", sqlState: null }
  return { reason: GONE.test(code) || CONNECTION.test(code) ? "unreachable" : "refused", sqlState: code }
}
