import type { FastifyRequest } from "fastify"
import { createHash } from "node:crypto"
import { clientAddress } from "./clientAddress.ts"

/** The wider network of an address or network: the first 16 bits of IPv4, 32 of IPv6. */
const widely = (address: string): string => address.split(/[.:]/).slice(0, 2).join(".")

/**
 * The key for counting callers whose address changes: the headers of their program and their wider network. Without the
 * network, all users of the same plain client would share a key.
 */
export const clientFingerprint = ({ ip, headers }: FastifyRequest): string =>
  createHash("sha256")
    .update(JSON.stringify([headers["user-agent"] ?? "", headers["accept-language"] ?? "", widely(clientAddress(ip))]))
    .digest("base64url")
