import * as Schema from "effect/Schema"
import type { Pool } from "#src/db/postgres/postgres.ts"
import { BackupRefused } from "./BackupRefused.ts"
import { openRegular } from "./openRegular.ts"
import { type Limits, whileItMoves } from "./whileItMoves.ts"
import { writeNew } from "./writeNew.ts"

/** Erasures per query. */
const PER_PAGE = 10_000

const Mark = Schema.Struct({
  app_id: Schema.String,
  erasure_id: Schema.String,
  created_at: Schema.String,
  /** The hash of the person's reference, in hexadecimal digits. */
  mark: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))
})
export type ErasureMark = typeof Mark.Type

/** A line for the whole file, then one for each erasure, then their number: a file that was cut off has none. */
const Head = Schema.Struct({ troupe_erasures: Schema.Literal(1), exported_at: Schema.String })
const End = Schema.Struct({ erasures: Schema.Int })

const decodeHead = Schema.decodeUnknownSync(Schema.fromJsonString(Head))
const decodeMark = Schema.decodeUnknownSync(Schema.fromJsonString(Mark))
const decodeEnd = Schema.decodeUnknownSync(Schema.fromJsonString(End))

const unusable = (path: string, what: string) =>
  new BackupRefused({ message: `${path} is not a usable list of erasures: ${what}` })

const line = (value: typeof Head.Type | ErasureMark | typeof End.Type) => `${JSON.stringify(value)}\n`

/** Writes all erasures that have a mark to a new file, as lines of JSON. Returns their number. */
export const writeErasures = (pool: Pool, path: string, now: Date, limits: Limits): Promise<number> =>
  writeNew(path, (file) =>
    whileItMoves(limits, async (watch, signal) => {
      watch.begin()
      let count = 0
      await file.write(line({ troupe_erasures: 1, exported_at: now.toISOString() }))
      for (let after: ErasureMark | undefined; ;) {
        const page: ReadonlyArray<ErasureMark> = await pool<Array<ErasureMark>>`
          select app_id, erasure_id, created_at::text as created_at, coalesce(encode(mark, 'hex'), '') as mark
          from erasures
          where mark is not null and (app_id, erasure_id) > (${after?.app_id ?? ""}, ${after?.erasure_id ?? ""})
          order by app_id, erasure_id limit ${PER_PAGE}::int`
        signal.throwIfAborted()
        await file.write(page.map(line).join(""))
        watch.passed()
        count += page.length
        after = page.at(-1)
        if (page.length < PER_PAGE) break
      }
      await file.write(line({ erasures: count }))
      await file.sync()
      return count
    })
  )

/** Reads such a file as a whole, before a restore begins. */
export const readErasures = async (path: string): Promise<ReadonlyArray<ErasureMark>> => {
  const file = await openRegular(path, "erasures export")
  const content = await file.readFile("utf8").finally(() => file.close())
  const lines = content.split("\n").filter((text) => text !== "")
  const [head = "", ...rest] = lines
  const end = rest.pop() ?? ""
  try {
    decodeHead(head)
  } catch {
    throw unusable(path, "its first line is not that of such a file")
  }
  try {
    const marks = rest.map((text) => decodeMark(text))
    if (decodeEnd(end).erasures === marks.length) return marks
  } catch {
    throw unusable(path, "a line cannot be read, or its end is missing")
  }
  throw unusable(path, "some of its lines are missing")
}
