const CONTROL = /[^\P{Cc}\t\n\r]/gu

/** Removes what cannot be stored and sent on. */
export const clean = (text: string): string => text.toWellFormed().replace(CONTROL, "")

/** Cuts a text to the maximum length, without a lone surrogate at its end. */
export const shorten = (text: string, most: number): string => text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")
