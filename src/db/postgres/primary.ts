import { Socket } from "node:net"
import postgres from "postgres"

/**
 * Several servers in one address, as in libpq: `postgres://user@one:5432,two:5432/name`. One of them takes writes, and
 * after a failover it is another one.
 */

/** The place of the hosts in an address: after the user, before the path. */
const HOSTS = /^([a-z]+:\/\/(?:[^@/?#]{0,9000}@)?)([^/?#]{1,2000})([^]*)$/
const DEFAULT_PORT = 5432

/** The address of each server, in order. */
export const serversOf = (url: string): ReadonlyArray<string> => {
  const [, before = "", hosts = "", after = ""] = HOSTS.exec(url) ?? []
  return hosts.includes(",") ? hosts.split(",").map((host) => `${before}${host}${after}`) : [url]
}

/** How long a server may take to say whether it takes writes. */
const ANSWER_SECONDS = 3
/** How long an answer counts. Connections that are opened together ask once. */
const KEPT_MS = 500

const takesWrites = async (url: string): Promise<string> => {
  const sql = postgres(url, {
    max: 1,
    fetch_types: false,
    connect_timeout: ANSWER_SECONDS,
    backoff: false,
    onnotice: () => {},
    connection: { application_name: "troupe-primary" }
  })
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`no answer within ${ANSWER_SECONDS} s`)), ANSWER_SECONDS * 1000).unref()
  })
  try {
    const [answer] = await Promise.race([
      sql<Array<{ writable: boolean }>>`
      select not pg_is_in_recovery() and current_setting('default_transaction_read_only') = 'off' as writable`,
      late
    ])
    if (answer?.writable !== true) throw new Error("takes no writes")
    return url
  } finally {
    void sql.end({ timeout: 0 }).catch(() => {})
  }
}

const kept = new Map<string, { readonly found: Promise<string | null>; readonly until: number }>()

/** The address of the server that takes writes, or null if none says so. A single server is not asked. */
export const knownPrimaryOf = (url: string): Promise<string | null> => {
  const servers = serversOf(url)
  if (servers.length < 2) return Promise.resolve(url)
  const known = kept.get(url)
  if (known !== undefined && performance.now() < known.until) return known.found
  const found = Promise.any(servers.map(takesWrites)).catch(() => null)
  kept.set(url, { found, until: performance.now() + KEPT_MS })
  return found
}

/** As `knownPrimaryOf`, but the first server if none takes writes, so that the caller gets that server's error. */
export const primaryOf = async (url: string): Promise<string> => (await knownPrimaryOf(url)) ?? serversOf(url)[0] ?? url

/** Options with which postgres.js connects to the server that takes writes. None for the address of one server. */
export const toPrimary = (url: string): { readonly socket?: () => Promise<Socket> } =>
  serversOf(url).length < 2
    ? {}
    : {
        // Returns before it is connected: postgres.js handles errors of the socket, but not those of this function.
        socket: async () => {
          const { hostname, port } = new URL(await primaryOf(url))
          return new Socket().connect(Number(port || DEFAULT_PORT), hostname.replace(/^\[|\]$/g, ""))
        }
      }
