import type { Dimension } from "../../domain/Character.ts"
import { bounded } from "../bounded.ts"
import type { Extraction } from "../Extraction.ts"
import { type Act, actOf } from "./acts.ts"

type Signal = Extraction["signals"][number]
type Feeling = NonNullable<Extraction["character_emotion"]>

interface Effect {
  /** By the meaning of a dimension, or `any`. */
  readonly moves: ReadonlyArray<readonly [RegExp, Signal["direction"], Signal["strength"]]>
  readonly feels: Feeling | null
}

const CLOSENESS = /trust|warm|affection|openness|friend|close|intimacy|love/
const REGARD = /respect|admir|regard/
const ROMANCE = /romantic|attraction|desire/
const TENSION = /tension|hostil|conflict|rival/
const ANY = /./

/** The effect of each act on the character. */
const EFFECTS: Partial<Record<Act, Effect>> = {
  thanks: {
    moves: [
      [CLOSENESS, "up", 1],
      [REGARD, "up", 1],
      [TENSION, "down", 1]
    ],
    feels: { label: "gratitude", valence: 0.4, arousal: 0.3 }
  },
  compliment: {
    moves: [
      [CLOSENESS, "up", 2],
      [REGARD, "up", 2],
      [ROMANCE, "up", 1],
      [TENSION, "down", 1]
    ],
    feels: { label: "joy", valence: 0.5, arousal: 0.4 }
  },
  affection: {
    moves: [
      [CLOSENESS, "up", 2],
      [ROMANCE, "up", 2]
    ],
    feels: { label: "love", valence: 0.6, arousal: 0.5 }
  },
  apology: {
    moves: [
      [CLOSENESS, "up", 1],
      [REGARD, "up", 1],
      [TENSION, "down", 2]
    ],
    feels: { label: "relief", valence: 0.2, arousal: 0.2 }
  },
  insult: {
    moves: [
      [CLOSENESS, "down", 3],
      [REGARD, "down", 3],
      [ROMANCE, "down", 2],
      [TENSION, "up", 3]
    ],
    feels: { label: "annoyance", valence: -0.5, arousal: 0.6 }
  },
  grief: { moves: [[CLOSENESS, "up", 2]], feels: { label: "grief", valence: -0.5, arousal: 0.2 } },
  bad_news: { moves: [[CLOSENESS, "up", 1]], feels: { label: "caring", valence: -0.2, arousal: 0.3 } },
  good_news: { moves: [[CLOSENESS, "up", 1]], feels: { label: "joy", valence: 0.6, arousal: 0.5 } },
  disclosure: { moves: [[CLOSENESS, "up", 1]], feels: null },
  laughter: {
    moves: [
      [CLOSENESS, "up", 1],
      [TENSION, "down", 1]
    ],
    feels: { label: "amusement", valence: 0.4, arousal: 0.4 }
  },
  question_self: { moves: [[CLOSENESS, "up", 1]], feels: { label: "curiosity", valence: 0.1, arousal: 0.2 } }
}

/** "I trust you", "I've never told anybody". */
const TRUSTS = new RegExp(
  String.raw`\bi (?:really |do |can )*trust (?:you|u)\b|\b(?:never|not) told (?:any(?:one|body)|a soul)\b|` +
    String.raw`\bonly (?:you|one) (?:i can|who) (?:tell|talk)|\bbetween us\b|\bich vertrau(?:e)? dir\b|` +
    String.raw`(?<!\p{L})(?:confío en ti|je te fais confiance|confio em ti)(?!\p{L})`,
  "iu"
)
const DISTRUSTS = /\bi (?:don['’]?t|do not|can['’]?t) trust (?:you|u)\b|\byou(?:'re| are)? (?:lied|lying|a liar)\b/i

const MAX_QUOTE_CHARS = 300

/** How a message affects the relationship and the character's feelings. */
export const signalsOf = (
  message: string,
  dimensions: ReadonlyArray<Dimension>
): Pick<Extraction, "signals" | "character_emotion"> => {
  const { moves, feels } = EFFECTS[actOf(message)] ?? { moves: [], feels: null }
  const trust: Effect["moves"] = DISTRUSTS.test(message)
    ? [[/trust/, "down", 3]]
    : TRUSTS.test(message)
      ? [
          [/trust/, "up", 3],
          [ANY, "up", 1]
        ]
      : []
  const quote = bounded(message, MAX_QUOTE_CHARS)
  return {
    signals: dimensions.flatMap(({ key }) => {
      const move = [...trust, ...moves].find(([sense]) => (sense === ANY ? !TENSION.test(key) : sense.test(key)))
      return move === undefined ? [] : [{ dimension: key, direction: move[1], strength: move[2], quote }]
    }),
    character_emotion: feels
  }
}
