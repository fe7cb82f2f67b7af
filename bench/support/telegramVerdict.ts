import type { LoggedCall } from "#test/support/telegram/CallLog.ts"

/** One chat, as recorded on both sides. */
export interface ChatRecord {
  /** What the person wrote, in order. */
  readonly said: ReadonlyArray<string>
  /** The ones that are on the log, in order. */
  readonly heard: ReadonlyArray<string>
  /** The character's bubbles on the log, in order. */
  readonly bubbles: ReadonlyArray<Bubble>
  /** What the bot's messages in the chat say, in order. */
  readonly shown: ReadonlyArray<string>
  /** The bot's calls of sendMessage to the chat. */
  readonly calls: ReadonlyArray<LoggedCall>
}

export interface Bubble {
  readonly text: string
  /** The recorded results of the attempts to send it. */
  readonly outcomes: ReadonlyArray<string>
  /** Of a greeting, which may be sent once more after a crash. */
  readonly greets: boolean
}

export interface Verdict {
  /** Bubbles that are missing in the chat without a record of that, and messages that are missing on the log. */
  readonly lost: number
  /** Bubbles that are in the chat twice without a mark, and duplicates on the log. */
  readonly duplicated: number
  readonly reordered: number
  /** Messages in the chat that are on no log. */
  readonly unexpected: number
  /** Sends with unknown result that are not recorded as unknown. */
  readonly unrecorded: number
  /** Bubbles that are recorded as unknown. */
  readonly unknown: number
  /** Those of them that are not in the chat. */
  readonly gaps: number
  readonly markedCopies: number
  /** Greetings that are in the chat twice, and recorded as unknown. They are not counted as duplicated. */
  readonly greetedTwice: number
}

const MARK = "↻ "
const AMBIGUOUS: ReadonlySet<string | undefined> = new Set(["drop_before", "drop_after", "html502", "hang"])

const count = <A>(items: Iterable<A>, fits: (item: A) => boolean) =>
  [...items].reduce((sum, item) => sum + (fits(item) ? 1 : 0), 0)
const firsts = (texts: ReadonlyArray<string>) => texts.filter((text, index) => texts.indexOf(text) === index)
const isAmbiguous = ({ fault, answer }: LoggedCall) =>
  AMBIGUOUS.has(fault) || (answer?.ok === false && answer.error_code >= 500)

/** How many of these come before one that should come later. */
const outOfOrder = (texts: ReadonlyArray<string>, order: ReadonlyArray<string>): number => {
  const places = texts.map((text) => order.indexOf(text)).filter((place) => place >= 0)
  return count(places.keys(), (index) => index > 0 && (places[index] ?? 0) < (places[index - 1] ?? 0))
}

const judgeChat = ({ said, heard, bubbles, shown, calls }: ChatRecord): Verdict => {
  const unmarked = (text: string) => (text.startsWith(MARK) ? text.slice(MARK.length) : text)
  const texts = shown.map(unmarked)
  const copies = shown.filter((text) => !text.startsWith(MARK))
  const known = bubbles.map(({ text }) => text)
  const tries = ({ text }: Bubble) => calls.filter((call) => unmarked(String(call.parameters["text"])) === text)
  const noted = ({ outcomes }: Bubble, outcome: string) => count(outcomes, (one) => one === outcome)
  const isMissing = ({ text }: Bubble) => !texts.includes(text)
  const greetedTwice = count(
    bubbles,
    (bubble) => bubble.greets && noted(bubble, "unknown") > 0 && count(copies, (text) => text === bubble.text) === 2
  )
  return {
    lost:
      count(bubbles, (bubble) => isMissing(bubble) && noted(bubble, "unknown") === 0) +
      count(said, (text) => !heard.includes(text)),
    duplicated: copies.length - firsts(copies).length - greetedTwice + heard.length - firsts(heard).length,
    reordered: outOfOrder(firsts(texts), known) + outOfOrder(firsts(heard), said),
    unexpected: count(texts, (text) => !known.includes(text)) + count(heard, (text) => !said.includes(text)),
    // For a send that was cut off by the death of its process, the result is unknown to us, whatever Telegram did with
    // it.
    unrecorded: bubbles.reduce(
      (sum, bubble) =>
        sum +
        Math.max(0, count(tries(bubble), isAmbiguous) - noted(bubble, "unknown")) +
        Math.max(
          0,
          count(tries(bubble), (call) => !isAmbiguous(call) && call.answer?.ok === true) -
            noted(bubble, "sent") -
            noted(bubble, "unknown")
        ),
      0
    ),
    unknown: count(bubbles, (bubble) => noted(bubble, "unknown") > 0),
    gaps: count(bubbles, (bubble) => isMissing(bubble) && noted(bubble, "unknown") > 0),
    markedCopies: shown.length - copies.length,
    greetedTwice
  }
}

/** Compares what was sent with the chats and the records. */
export const judge = (chats: ReadonlyArray<ChatRecord>): Verdict =>
  chats.map(judgeChat).reduce((sum, one) => ({
    lost: sum.lost + one.lost,
    duplicated: sum.duplicated + one.duplicated,
    reordered: sum.reordered + one.reordered,
    unexpected: sum.unexpected + one.unexpected,
    unrecorded: sum.unrecorded + one.unrecorded,
    unknown: sum.unknown + one.unknown,
    gaps: sum.gaps + one.gaps,
    markedCopies: sum.markedCopies + one.markedCopies,
    greetedTwice: sum.greetedTwice + one.greetedTwice
  }))
