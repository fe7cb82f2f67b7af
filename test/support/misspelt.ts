/** What is never the same text: only its last letter differs. */
export const misspelt = (text: string): string => text.slice(0, -1) + (text.endsWith("0") ? "1" : "0")
