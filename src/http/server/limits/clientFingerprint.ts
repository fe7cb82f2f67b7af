import type { FastifyRequest } from "fastify"
import { createHash } from "node:crypto"
import { clientAddress } from "./clientAddress.ts"

/** The wider network that an address or a network is in: the first 16 bits of IPv4, 32 of IPv6. */
const widely = (address: string): string => address.split(/[.:]/).slice(0, 2).join(".")

/**
 * By what a caller without a key is counted when their address changes: how their program presents itself, and the
 * wider network that they are in. Without the network all who use the same plain client would be one.
 */
export const clientFingerprint = ({ ip, headers }: FastifyRequest): string =>
  createHash("sha256")
    .update(JSON.stringify([headers["user-agent"] ?? "", headers["accept-language"] ?? "", widely(clientAddress(ip))]))
    .digest("base64url")
