/** A command's answer: one line on stdout. */
export const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}
