import ipaddr from "ipaddr.js"

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** One exception in OUTBOUND_ALLOW: a host name, or a network, with a port or for all ports. */
type Rule = { readonly port: number | null } & ({ readonly host: string } | { readonly network: [Address, number] })

export type AllowList = ReadonlyArray<Rule>

const HOST = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_][a-z0-9_-]{0,62})*$/
const ENTRY = /^(?:\[([^\]]+)\]|([^\][]*?))(?::(\d{1,5}))?$/

const readAddress = (text: string): Address | null => {
  // Only the usual four decimal numbers. Other parsers read 010.0.0.1 or 167772161 differently than we would.
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  return text.includes(":") && ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : null
}

const readNetwork = (text: string): [Address, number] | null => {
  const [start = "", bits, ...rest] = text.split("/")
  const address = readAddress(start)
  const widest = address?.kind() === "ipv4" ? 32 : 128
  if (address === null || rest.length > 0) return null
  if (bits === undefined) return [address, widest]
  return /^\d{1,3}$/.test(bits) && Number(bits) <= widest ? [address, Number(bits)] : null
}

const readRule = (text: string): Rule | null => {
  const bare = readNetwork(text)
  if (bare !== null) return { network: bare, port: null }
  const [, bracketed, plain, portText] = ENTRY.exec(text) ?? []
  const port = portText === undefined ? null : Number(portText)
  if (port !== null && (port < 1 || port > 65535)) return null
  const network = readNetwork(bracketed ?? plain ?? "")
  if (network !== null) return { network, port }
  const host = plain?.toLowerCase().replace(/\.$/, "") ?? ""
  // URL parsers read everything that ends in a number as an address, so it is not a name.
  return HOST.test(host) && !/(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(host) ? { host, port } : null
}

/**
 * Parses the exceptions: `host`, `host:port`, an address, `address:port`, or a CIDR, separated by commas. Names the
 * first invalid one.
 */
export const parseAllowList = (text: string): { readonly allow: AllowList } | { readonly bad: string } => {
  const entries = text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
  const rules = entries.map(readRule)
  const bad = entries[rules.indexOf(null)]
  return bad === undefined ? { allow: rules.filter((rule) => rule !== null) } : { bad }
}

/** Whether the operator has allowed this host by name. */
export const allowsHost = (allow: AllowList, host: string, port: number): boolean =>
  allow.some((rule) => "host" in rule && rule.host === host && (rule.port === null || rule.port === port))

/** Whether the operator has allowed this address, in whatever form the URL has it. */
export const allowsAddress = (allow: AllowList, address: string, port: number): boolean => {
  const dialled = ipaddr.process(address)
  return allow.some(
    (rule) =>
      "network" in rule &&
      rule.network[0].kind() === dialled.kind() &&
      dialled.match(rule.network) &&
      (rule.port === null || rule.port === port)
  )
}
