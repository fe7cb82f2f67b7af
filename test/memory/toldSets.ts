import { readdirSync, readFileSync } from "node:fs"

/** Words that a text must contain: one of each group. Those in `without` must not occur. */
export interface Expected {
  readonly groups: ReadonlyArray<ReadonlyArray<string>>
  readonly without: ReadonlyArray<string>
}

/** `facts` null: either is right. Empty: nothing in it is a fact. */
export type Line =
  | { readonly by: "character"; readonly text: string }
  | { readonly by: "person"; readonly text: string; readonly facts: ReadonlyArray<Expected> | null }

export interface Question {
  readonly text: string
  /** Null: it was never told. */
  readonly answer: Expected | null
}

/** What one person tells, and what they ask later. See sets/README.md. */
export interface Person {
  readonly language: string
  readonly name: string
  readonly lines: ReadonlyArray<Line>
  readonly questions: ReadonlyArray<Question>
  /** Everything that they say and ask, in order. */
  readonly script: ReadonlyArray<Said>
}

/** A message of a person. `answer`: for a question about what they have told. */
export interface Said {
  readonly text: string
  readonly answer?: Expected | null
}

/** A whole conversation of a person with a demo character. */
export interface Talk {
  readonly name: string
  readonly slug: string
  readonly person: Person
}

const folded = (text: string): string =>
  text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")

const expectedOf = (words: string): Expected => {
  const all = words.trim().split(/\s+/)
  return {
    groups: all.filter((word) => !word.startsWith("!") && word !== "-").map((word) => word.split("|")),
    without: all.filter((word) => word.startsWith("!")).map((word) => word.slice(1))
  }
}

/** Whether a text contains all of the words, each at the beginning of one of its words. */
export const fits = (text: string, { groups }: Expected): boolean => {
  const padded = ` ${folded(text).replace(/[^\p{L}\p{N}]+/gu, " ")}`
  return groups.every((group) => group.some((word) => padded.includes(` ${folded(word)}`)))
}

const cut = (line: string): readonly [string, string] => {
  const [text = "", expected = ""] = line.slice(2).split(" => ")
  return [text.trim(), expected.trim()]
}

const answerOf = (expected: string): Expected | null => (expected === "-" ? null : expectedOf(expected))

const personOf = (language: string, block: string): Person => {
  const [name = "", ...rows] = block.split("\n")
  return {
    script: rows.flatMap((row): ReadonlyArray<Said> => {
      const [text, expected] = cut(row)
      if (row.startsWith("> ")) return [{ text }]
      return row.startsWith("? ") ? [{ text, answer: answerOf(expected) }] : []
    }),
    language,
    name: name.trim(),
    lines: rows.flatMap((row): ReadonlyArray<Line> => {
      if (row.startsWith("< ")) return [{ by: "character", text: row.slice(2) }]
      if (!row.startsWith("> ")) return []
      const [text, expected] = cut(row)
      const facts = expected === "~" ? null : expected.split(" ; ").map(expectedOf)
      return [
        {
          by: "person",
          text,
          facts: facts?.filter(({ groups, without }) => groups.length + without.length > 0) ?? null
        }
      ]
    }),
    questions: rows
      .filter((row) => row.startsWith("? "))
      .map((row) => {
        const [text, expected] = cut(row)
        return { text, answer: answerOf(expected) }
      })
  }
}

export type Half = "development" | "held-out"

const read = (folder: URL): ReadonlyArray<{ readonly file: string; readonly person: Person }> =>
  readdirSync(folder)
    .sort()
    .flatMap((file) =>
      readFileSync(new URL(file, folder), "utf8")
        .split(/^== /m)
        .slice(1)
        .map((block) => ({ file, person: personOf(file.slice(0, 2), block) }))
    )

export const toldSet = (half: Half): ReadonlyArray<Person> =>
  Array.from(read(new URL(`sets/${half}/`, import.meta.url)), ({ person }) => person)

/** See chats/README.md. */
export const chatSet = (half: Half): ReadonlyArray<Person> =>
  Array.from(read(new URL(`chats/${half}/`, import.meta.url)), ({ person }) => person)

/** The conversations in talks/. See talks/README.md. */
export const talkSet = (half: Half): ReadonlyArray<Talk> =>
  Array.from(read(new URL(`talks/${half}/`, import.meta.url)), ({ file, person }) => ({
    name: `${file.slice(3).replace(".txt", "")} (${half})`,
    slug: /\((.+)\)$/.exec(person.name)?.[1] ?? "",
    person
  }))
