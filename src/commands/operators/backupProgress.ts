import { clearLine, cursorTo } from "node:readline"
import type { Progress } from "#src/db/operators/backup/copyMeter.ts"

/** How often the line is rewritten. */
const EVERY_MS = 200

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

/** One line on a terminal, rewritten as the work goes on. In a pipe there is none. */
export const backupProgress = () => {
  const { stderr } = process
  let shownAt = 0
  const show = (line: string) => {
    const now = performance.now()
    if (!stderr.isTTY || now - shownAt < EVERY_MS) return
    shownAt = now
    cursorTo(stderr, 0)
    clearLine(stderr, 0)
    stderr.write(line.slice(0, (stderr.columns ?? 80) - 1))
  }
  return {
    onRead: (bytes: number, of: number) => show(`checking the file: ${megabytes(bytes)} of ${megabytes(of)}`),
    onProgress: ({ table, done, tables, rows, bytes }: Progress) =>
      show(`table ${done + 1} of ${tables}, ${table}: ${rows} rows; ${megabytes(bytes)} in all`),
    end: () => {
      if (!stderr.isTTY || shownAt === 0) return
      cursorTo(stderr, 0)
      clearLine(stderr, 0)
    }
  }
}
