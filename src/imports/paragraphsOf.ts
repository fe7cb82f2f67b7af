/** The paragraphs of a text, without empty ones. */
export const paragraphsOf = (text: string): ReadonlyArray<string> =>
  text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== "")
