import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { MessagePart } from "./Event.ts"

/**
 * Words that a message refers to: quoted from an earlier message, or forwarded. They are not what the person says now,
 * so they are nobody's statement about the person.
 */
export interface Referred {
  readonly type: "quote" | "forward"
  /** Whose words they are. `user`: the same person said them earlier. */
  readonly by: "character" | "user" | "other"
  /** The name of their author. Empty: it is unknown. */
  readonly author: string
  readonly text: string
}

/** A message without the words that it refers to, and these. */
export interface WithReferred {
  readonly text: string
  readonly referred?: ReadonlyArray<Referred>
}

const NAMELESS = { character: "the character", user: "the person", other: "somebody" } as const
/** Whose words they are, for people to read. */
export const authorName = ({ by, author }: Pick<Referred, "by" | "author">): string =>
  author === "" ? NAMELESS[by] : author

/** The line that stands for forwarded words in the text of a message. */
export const forwardLine = (author: string): string => (author === "" ? "[forwarded]" : `[forwarded from ${author}]`)

/** Whether a part holds words that the message quotes or forwards. */
export const isReferred = (part: MessagePart): part is MessagePart & { readonly type: Referred["type"] } =>
  part.type === "quote" || part.type === "forward"

const toReferred = ({ type, text, transcript, by = "other", author = "" }: MessagePart & Pick<Referred, "type">) => ({
  type,
  by,
  author,
  text: transcript === undefined ? text : `${text}\n${transcript}`
})

const decodeParts = Schema.decodeUnknownOption(Schema.Struct({ parts: Schema.Array(MessagePart) }))
/** What the message of an event quotes or forwards. `payload`: that of the event. */
export const referredIn = (payload: unknown): ReadonlyArray<Referred> =>
  Option.match(decodeParts(payload), {
    onNone: () => [],
    onSome: ({ parts }) => parts.filter(isReferred).map(toReferred)
  })

/** A text without the lines that stand for forwarded words. In a group, the name of the speaker comes first. */
const withoutForwardLines = (text: string, referred: ReadonlyArray<Referred>): string => {
  const lines = new Set(referred.flatMap(({ type, author }) => (type === "forward" ? [forwardLine(author)] : [])))
  return text
    .split("\n")
    .flatMap((line, place) => {
      if (lines.has(line)) return []
      const found = place === 0 ? [...lines].find((one) => line.endsWith(`: ${one}`)) : undefined
      return [found === undefined ? line : line.slice(0, -found.length - 1)]
    })
    .join("\n")
}

/** The person's own words in a message, and what it refers to. `parts`: those of its event. */
export const readReferred = <A extends { readonly text: string }>(
  said: A,
  parts: ReadonlyArray<MessagePart> | null
): A & WithReferred => {
  const referred = parts === null ? [] : parts.filter(isReferred).map(toReferred)
  return referred.length === 0 ? said : { ...said, text: withoutForwardLines(said.text, referred), referred }
}

const wordsBy = ({ referred = [] }: WithReferred, wanted: Referred["by"]): ReadonlyArray<string> =>
  referred.filter(({ by }) => by === wanted).map(({ text }) => text)

/** Words of somebody else than the person and the character. */
export const wordsOfOthers = (said: WithReferred): ReadonlyArray<string> => wordsBy(said, "other")
/** What the character said, as the message quotes it. */
export const quotedLines = (said: WithReferred): ReadonlyArray<string> => wordsBy(said, "character")
/** What the person said earlier, as the message quotes it. */
export const quotedOwnWords = (said: WithReferred): ReadonlyArray<string> => wordsBy(said, "user")

/** Whether a message consists only of words of others. In a group, the name of the speaker may stand before them. */
export const isOnlyForwarded = ({ text, referred = [] }: WithReferred): boolean =>
  referred.some(({ type }) => type === "forward") && (text === "" || (text.endsWith(":") && !text.includes("\n")))

/** The words that a message forwards. */
export const forwardedWords = ({ referred = [] }: WithReferred): string =>
  referred.flatMap(({ type, text }) => (type === "forward" ? [text] : [])).join("\n")

/** A message with everything that it refers to, as one text. */
export const withAllWords = ({ text, referred = [] }: WithReferred): string =>
  [text, ...referred.map((one) => one.text)].filter((words) => words !== "").join("\n")
