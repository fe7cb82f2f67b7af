import { compatible } from "#pipeline/compatible.ts"

/** A slug for a name. A generic one if the name has no Latin letters. */
export const slugify = (name: string): string =>
  compatible(name, "NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, 63)
    .replace(/-$/, "") || "character"
