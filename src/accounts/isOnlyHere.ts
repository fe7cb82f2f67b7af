/** The host names of URLs that lead to this machine. */
export const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"])

/** Whether a server is one that a developer started for themselves: only this machine reaches it. */
export const isOnlyHere = ({
  baseUrl,
  production,
  behindProxy
}: {
  readonly baseUrl: string
  readonly production: boolean
  /** Requests of others that a proxy forwards appear to come from this machine. */
  readonly behindProxy: boolean
}): boolean => !production && !behindProxy && LOOPBACK.has(new URL(baseUrl).hostname)
