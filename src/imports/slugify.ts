/** A slug for a name; of one in a script without Latin letters, a plain one. */
export const slugify = (name: string): string =>
  name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+/, "").slice(0, 63).replace(/-+$/, "") || "character"
