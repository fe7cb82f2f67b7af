/** A command's answer: one line on stdout. */
export const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

/** What is good to know beside the answer: one line on stderr. */
export const note = (line: string): void => {
  process.stderr.write(`troupe: ${line}\n`)
}

/**
 * As one line, whoever wrote it: a text must not move the cursor, colour the screen or turn the direction of what
 * follows.
 */
export const printable = (text: string): string =>
  text.replace(/\s+/gu, " ").replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "\uFFFD")
