/**
 * Placeholders as authors and older cards write them: `{{char}}`, `{{bot}}`, `<BOT>` and `<CHAR>` for the character,
 * `{{user}}` and `<USER>` for the person it talks to.
 */
const MACRO = /\{\{\s*(char|bot|user)\s*\}\}|<(char|bot|user)>/gi

/** `user` is null if the person's name is unknown. */
export interface Names {
  readonly character: string
  readonly user: string | null
}

/** What replaces a missing name in the character's own speech and in text about it. */
export const NOBODY = { spoken: "you", told: "the user" } as const

/** A name that can be read. People and apps may give an empty one, or one of invisible characters. */
export const readableName = (name: string | null): string | null =>
  name !== null && /[\p{L}\p{N}\p{S}\p{P}]/u.test(name) ? name : null

/** Fills the placeholders that authored text may carry. */
export const fillMacros = (text: string, { character, user }: Names, nobody: string = NOBODY.spoken): string =>
  text.includes("{{") || text.includes("<")
    ? text.replace(MACRO, (_, inBraces: string | undefined, inBrackets: string | undefined) =>
        (inBraces ?? inBrackets)?.toLowerCase() === "user" ? (readableName(user) ?? nobody) : character
      )
    : text

/** Fills the placeholders in every text of a value. Returns the value itself if there is nothing to fill. */
export const fillTexts = <A>(value: A, names: Names, nobody: string): A => {
  const filled = (inner: unknown): unknown => {
    if (typeof inner === "string") return fillMacros(inner, names, nobody)
    if (typeof inner !== "object" || inner === null || inner instanceof Date) return inner
    if (Array.isArray(inner)) {
      const items = inner.map(filled)
      return items.some((item, at) => item !== inner[at]) ? items : inner
    }
    const fields = Object.entries(inner).map(([key, field]) => [key, field, filled(field)] as const)
    return fields.some(([, before, after]) => before !== after)
      ? Object.fromEntries(fields.map(([key, , after]) => [key, after]))
      : inner
  }
  return filled(value) as A
}
