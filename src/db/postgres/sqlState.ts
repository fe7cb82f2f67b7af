/**
 * SQLSTATE classes after which the server has closed the session or accepts no work: 08 connection, 57P0x shutdown and
 * termination, 25P03 idle transaction timeout, 53300 too many connections, 3D000 the database does not exist (any
 * more).
 */
const GONE = /^(08|57P0|25P03|53300|3D000)/

/** postgres.js reports its own connection errors in `code`, in capitals with underscores. */
const CONNECTION = /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/

/** Classifies what postgres.js throws: the server refused, or there was no answer. */
export const classify = (
  cause: unknown
): { readonly reason: "unreachable" | "refused"; readonly sqlState: string | null } => {
  const code =
    typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string" ? cause.code : null
  if (code === null) return { reason: "refused", sqlState: null }
  return { reason: GONE.test(code) || CONNECTION.test(code) ? "unreachable" : "refused", sqlState: code }
}
