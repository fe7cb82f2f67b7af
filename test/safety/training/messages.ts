import { readdirSync, readFileSync } from "node:fs"
import { LABELS, type Label } from "#pipeline/safety/classifier/Classifier.ts"

export const LANGUAGES = ["en", "de", "es", "pt"] as const
/** `other`: languages that the classifier need not know, so that it does not take them for one of the four. */
export type Language = (typeof LANGUAGES)[number] | "other"

/** A message, and what two careful readers would say of it. Labels that nobody has looked for are in `open`. */
export interface Message {
  readonly text: string
  readonly language: Language
  readonly labels: ReadonlySet<Label>
  readonly open: ReadonlySet<Label>
  /** The hand that wrote it: what others wrote is a fair test of what was learned from it. */
  readonly author: string
}

const BORN = /\{born:(\d+)\}/g
/** The year in which the messages were written. */
export const YEAR = 2026

export const isLabel = (word: string): word is Label => (LABELS as ReadonlyArray<string>).includes(word)

/**
 * The messages of a folder, with a subfolder for each language and a file for each author. A line is
 * `labels<TAB>message`; `none` and `none-self` are no labels, and `minor?` says that nobody has looked for it.
 * `{born:14}` is the year of birth of somebody aged 14.
 */
export const readMessages = (folder: string, languages: ReadonlyArray<Language> = LANGUAGES): ReadonlyArray<Message> =>
  languages.flatMap((language) => {
    const from = new URL(`../${folder}/${language}/`, import.meta.url)
    return readdirSync(from)
      .toSorted()
      .flatMap((file) =>
        readFileSync(new URL(file, from), "utf8")
          .split("\n")
          .filter((line) => line !== "")
          .map((line): Message => {
            const [head = "", text = ""] = line.split("\t")
            const words = head.split(",")
            return {
              text: text.replace(BORN, (_, age: string) => String(YEAR - Number(age))),
              language,
              labels: new Set(words.filter(isLabel)),
              open: new Set(
                words
                  .filter((word) => word.endsWith("?"))
                  .map((word) => word.slice(0, -1))
                  .filter(isLabel)
              ),
              author: file.replace(".tsv", "")
            }
          })
      )
  })
