import * as Effect from "effect/Effect"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import type { PageOf, PersonOf } from "#src/db/postgres/catalogue/Table.ts"
import type { PersonFile, PersonReader } from "#src/db/privacy/PersonReader.ts"
import type { ZipEntry } from "./zipStream.ts"
import { exportReadme } from "./exportReadme.ts"

/** Rows per read. If all are as long as possible, that is a few megabytes. */
const ROWS_PER_PAGE = 200
const SESSIONS_PER_PAGE = 200
/** Slices of a picture. The ZIP's checksum of a slice is computed without a pause. */
const SLICE_BYTES = 64 * 1024

type ScopeOf = Omit<PageOf, "after" | "limit">

/** How the files are read. `read` and `content` run an effect. */
export interface Reading {
  readonly reader: PersonReader["Service"]
  readonly read: <A>(effect: Effect.Effect<A, DatabaseError>) => Promise<A>
  /** The content of a stored object. Null: it no longer exists. */
  readonly content: (objectKey: string) => Promise<Uint8Array | null>
}

async function* sessionsOf({ reader, read }: Reading, person: PersonOf): AsyncGenerator<string> {
  for (let after = ""; ;) {
    const page = await read(reader.sessions(person, after, SESSIONS_PER_PAGE))
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    after = last
  }
}

/** The pages of a person or session, up to the first empty one. */
async function* pagesOf<Row extends { readonly at: string }>(
  of: ScopeOf,
  next: (page: PageOf) => Promise<ReadonlyArray<Row>>
): AsyncGenerator<ReadonlyArray<Row>> {
  for (let after = ""; ;) {
    const page = await next({ ...of, after, limit: ROWS_PER_PAGE })
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    after = last.at
  }
}

/** The scopes by which the rows of a file are read: the person, or each session. */
async function* scopesOf(reading: Reading, { by }: PersonFile, person: PersonOf): AsyncGenerator<ScopeOf> {
  if (by === "person") yield { ...person, sessionId: "" }
  else for await (const sessionId of sessionsOf(reading, person)) yield { ...person, sessionId }
}

async function* rowsOf({ read }: Reading, { rows }: PersonFile, of: ScopeOf): AsyncGenerator<ReadonlyArray<string>> {
  for await (const page of pagesOf(of, (next) => read(rows(next))))
    yield page.flatMap(({ row }) => (row === null ? [] : [row]))
}

async function* lines(pages: AsyncIterable<ReadonlyArray<string>>): AsyncGenerator<Buffer> {
  for await (const page of pages) if (page.length > 0) yield Buffer.from(`${page.join("\n")}\n`)
}

async function* array(pages: AsyncIterable<ReadonlyArray<string>>): AsyncGenerator<Buffer> {
  let isFirst = true
  yield Buffer.from("[")
  for await (const page of pages) {
    if (page.length === 0) continue
    yield Buffer.from(`${isFirst ? "" : ","}\n${page.join(",\n")}`)
    isFirst = false
  }
  yield Buffer.from("\n]\n")
}

async function* contentOf({ content }: Reading, objectKey: string): AsyncGenerator<Buffer> {
  const bytes = (await content(objectKey)) ?? new Uint8Array()
  for (let from = 0; from < bytes.length; from += SLICE_BYTES)
    yield Buffer.from(bytes.subarray(from, from + SLICE_BYTES))
}

async function* objectsOf(reading: Reading, file: PersonFile, person: PersonOf): AsyncGenerator<ZipEntry> {
  const { objects } = file
  if (objects === undefined) return
  for await (const of of scopesOf(reading, file, person))
    for await (const page of pagesOf(of, (next) => reading.read(objects(next))))
      for (const { path, object_key: key } of page) yield { path, content: contentOf(reading, key), isCompressed: true }
}

/** All rows of a person in all scopes. */
async function* allRows(reading: Reading, file: PersonFile, person: PersonOf) {
  for await (const of of scopesOf(reading, file, person)) yield* rowsOf(reading, file, of)
}

async function* entriesOf(reading: Reading, file: PersonFile, person: PersonOf): AsyncGenerator<ZipEntry> {
  const { file: path, shape } = file
  if (path.includes("*")) {
    for await (const of of scopesOf(reading, file, person))
      yield { path: path.replace("*", of.sessionId), content: lines(rowsOf(reading, file, of)) }
    return
  }
  const rows = allRows(reading, file, person)
  yield { path, content: shape === "array" ? array(rows) : lines(rows) }
  yield* objectsOf(reading, file, person)
}

/** The files of an export, in order. Each is read a page at a time while it is written. */
export async function* personFiles(reading: Reading, person: PersonOf): AsyncGenerator<ZipEntry> {
  const { files } = reading.reader
  yield { path: "README.txt", content: [Buffer.from(exportReadme(files))] }
  for (const file of files) yield* entriesOf(reading, file, person)
}
