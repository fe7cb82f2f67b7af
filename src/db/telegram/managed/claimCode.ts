import { createHash } from "node:crypto"

/** What is kept of the code of a link. */
export const hashOf = (code: string) => createHash("sha256").update(code).digest()
