/** The output of a command: one line on stdout. */
export const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

/** Additional information: one line on stderr. */
export const note = (line: string): void => {
  process.stderr.write(`troupe: ${line}\n`)
}

/**
 * Escapes text from others to one line, so that it cannot move the cursor, colour the screen or change the text
 * direction.
 */
export const printable = (text: string): string =>
  text.replace(/\s+/gu, " ").replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "\uFFFD")
