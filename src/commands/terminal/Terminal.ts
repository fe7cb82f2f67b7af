import { clearLine, cursorTo } from "node:readline"
import { createInterface } from "node:readline/promises"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { note, print } from "./output.ts"

/** A person who types, or a pipe that supplies lines. */
export interface Terminal {
  /** Typed text is echoed. */
  readonly interactive: boolean
  readonly lines: Stream.Stream<string>
  /** Prints a line above the text that is being typed. */
  readonly say: (line: string) => void
  /** Shows a progress hint. Null removes it. */
  readonly hint: (text: string | null) => void
}

const PROMPT = "you: "

/** `plain`: no prompt, no redrawing and no hint, even on a terminal. */
export const openTerminal = (plain: boolean) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const interactive = !plain && process.stdin.isTTY && process.stdout.isTTY
      const reader = createInterface({
        input: process.stdin,
        terminal: interactive,
        ...(interactive ? { output: process.stdout, prompt: PROMPT } : {})
      })
      // While readline controls the keyboard, Ctrl-C is an ordinary key.
      reader.on("SIGINT", () => process.kill(process.pid, "SIGINT"))
      // Start iterating at once, because lines that arrive earlier are lost.
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
