import { clearLine, cursorTo } from "node:readline"
import { createInterface } from "node:readline/promises"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { note, print } from "./output.ts"

/** Somebody who types, or a pipe that brings lines. */
export interface Terminal {
  /** What is typed is seen as it is typed. */
  readonly interactive: boolean
  readonly lines: Stream.Stream<string>
  /** One line of output, above what is being typed. */
  readonly say: (line: string) => void
  /** Shows or takes away a hint that something is going on. */
  readonly hint: (text: string | null) => void
}

const PROMPT = "you: "

/** `plain`: no prompt, no redrawing and no hint, even where somebody types. */
export const openTerminal = (plain: boolean) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const interactive = !plain && process.stdin.isTTY && process.stdout.isTTY
      const reader = createInterface({
        input: process.stdin,
        terminal: interactive,
        ...(interactive ? { output: process.stdout, prompt: PROMPT } : {})
      })
      // Where readline has the keyboard, Ctrl-C is a key like others.
      reader.on("SIGINT", () => process.kill(process.pid, "SIGINT"))
      // At once: lines that come in before somebody iterates are lost.
      const lines = reader[Symbol.asyncIterator]()
      if (interactive) reader.prompt()

      const above = (write: () => void) => {
        if (!interactive) return write()
        cursorTo(process.stdout, 0)
        clearLine(process.stdout, 0)
        write()
        reader.prompt(true)
      }
      const terminal: Terminal = {
        interactive,
        lines: Stream.fromAsyncIterable({ [Symbol.asyncIterator]: () => lines }, (cause) => cause).pipe(Stream.orDie),
        say: (line) => above(() => print(line)),
        hint: (text) => {
          if (interactive) above(() => reader.setPrompt(text === null ? PROMPT : `(${text}) ${PROMPT}`))
          else if (text !== null && !plain) note(text)
        }
      }
      return { terminal, reader }
    }),
    ({ reader }) => Effect.sync(() => reader.close())
  ).pipe(Effect.map(({ terminal }) => terminal))
