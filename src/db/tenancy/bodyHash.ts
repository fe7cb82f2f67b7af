import { createHash } from "node:crypto"

const inOrder = (_: string, value: unknown) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** SHA-256 of a body by value: white space and the order of fields do not matter. */
export const bodyHash = (body: unknown): Buffer =>
  createHash("sha256")
    .update(JSON.stringify(body, inOrder) ?? "")
    .digest()
