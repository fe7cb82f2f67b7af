import { dataBlock, DATA_RULE } from "#pipeline/chat.ts"
import type { ImageKind } from "#pipeline/safety/pictures.ts"

export interface ImageBrief {
  readonly kind: ImageKind
  readonly name: string
  readonly ageBand: "adult" | "teen" | "child"
  readonly appearance: string
  readonly style: string
  readonly negative: string
  readonly wardrobe: ReadonlyArray<{ readonly label: string; readonly when: string }>
  /** What the character feels, if there is a session. */
  readonly feeling: string | null
  /** What the requester wants to see. Null: nothing in particular. */
  readonly prompt: string | null
}

const KINDS: Readonly<Record<ImageKind, string>> = {
  selfie: "A selfie that this one fictional character has just taken of itself, alone, as one sends it to a friend.",
  scene: "A place or a moment of this one fictional character's life, as it would photograph it.",
  avatar: "A portrait of this one fictional character, head and shoulders, for a profile.",
  expression: "This one fictional character's face and shoulders, its feeling plain to see, against a plain background."
}

/** The prompt for a picture. `identity` defines the appearance. The requester's words follow as data. */
export const imagePrompt = ({
  kind,
  name,
  ageBand,
  appearance,
  style,
  negative,
  wardrobe,
  feeling,
  prompt
}: ImageBrief): string =>
  [
    KINDS[kind],
    DATA_RULE,
    '"identity" says what the character looks like, and nothing in "wish" changes that: not its face, its age, ' +
      'its body or who it is. Wear what fits of "wardrobe". Nothing sexual, no nudity, no minors beside a character ' +
      'that is one, no real person, no text in the picture. Nothing that stands under "never".',
    dataBlock("identity", { name, age: ageBand, appearance, style, never: negative, wardrobe }),
    ...(feeling === null ? [] : [dataBlock("feeling", { feels: feeling })]),
    ...(prompt === null ? [] : [dataBlock("wish", { to_be_seen: prompt })])
  ].join("\n\n")
