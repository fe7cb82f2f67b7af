import { randomBytes } from "node:crypto"
import { open, rename, rm, stat } from "node:fs/promises"
import * as Schema from "effect/Schema"
import type { Pool } from "#src/db/postgres/postgres.ts"
import { BackupRefused } from "./BackupRefused.ts"
import { openRegular } from "./openRegular.ts"
import { type Limits, whileItMoves } from "./whileItMoves.ts"

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

/**
 * Writes all erasures that have a mark, as lines of JSON. Like a backup, the file has its name only when it is whole,
 * and replaces none. Returns their number.
 */
export const writeErasures = async (pool: Pool, path: string, now: Date, limits: Limits): Promise<number> => {
  const exists = await stat(path).then(
    () => true,
    () => false
  )
  if (exists) throw new BackupRefused({ message: `${path} exists already: give another name` })
  const partial = `${path}.${randomBytes(4).toString("hex")}.partial`
  const file = await open(partial, "wx", 0o600)
  try {
    let count = 0
    try {
      await whileItMoves(limits, async (watch, signal) => {
        watch.begin()
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
      })
    } finally {
      await file.close()
    }
    await rename(partial, path)
    return count
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

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
