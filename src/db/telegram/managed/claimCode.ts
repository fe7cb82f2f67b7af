import { createHash } from "node:crypto"

/** The stored form of a link's code. */
export const hashOf = (code: string) => createHash("sha256").update(code).digest()
