/** Phrases that are one character, of which each becomes up to 18 others. No rule looks for them. */
const PHRASES = /[\uFDFA\uFDFB]/g

/** A text in a compatibility form of Unicode, no longer than a few times what it was. */
export const compatible = (text: string, form: "NFKC" | "NFKD"): string => text.replace(PHRASES, " ").normalize(form)
