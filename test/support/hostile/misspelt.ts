/** The text with another last letter. */
export const misspelt = (text: string): string => text.slice(0, -1) + (text.endsWith("0") ? "1" : "0")
