const MACRO = /\{\{\s*(char|user)\s*\}\}/gi

/** Fills the two placeholders that authored text may carry. */
export const fillMacros = (text: string, names: { readonly character: string; readonly user: string | null }): string =>
  text.includes("{{")
    ? text.replace(MACRO, (_, name: string) => name.toLowerCase() === "char" ? names.character : names.user ?? "you")
    : text
