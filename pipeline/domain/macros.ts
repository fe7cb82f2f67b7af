/**
 * As authors write them, and older cards: `{{char}}`, `{{bot}}`, `<BOT>` and `<CHAR>` for the character, `{{user}}` and
 * `<USER>` for whoever it talks to.
 */
const MACRO = /\{\{\s*(char|bot|user)\s*\}\}|<(char|bot|user)>/gi

/** Who is meant. `user` is null where nobody has told a name. */
export interface Names {
  readonly character: string
  readonly user: string | null
}

/** What stands for somebody without a name, in what the character says and in what is told of it. */
export const NOBODY = { spoken: "you", told: "the user" } as const

/** Fills the placeholders that authored text may carry. */
export const fillMacros = (text: string, { character, user }: Names, nobody: string = NOBODY.spoken): string =>
  text.includes("{{") || text.includes("<")
    ? text.replace(MACRO, (_, inBraces: string | undefined, inBrackets: string | undefined) =>
        (inBraces ?? inBrackets)?.toLowerCase() === "user" ? (user ?? nobody) : character
      )
    : text

/** The same in every text of a value; where there is nothing to fill, the value itself. */
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
