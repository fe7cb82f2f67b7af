import { type Character, exampleTurns } from "../domain/Character.ts"

/** An authored text with its path. */
export interface AuthoredText {
  readonly path: string
  readonly text: string
}

const at = (path: string, text: string): AuthoredText => ({ path, text })
const each = (path: string, texts: ReadonlyArray<string>): ReadonlyArray<AuthoredText> =>
  texts.map((text, i) => at(`${path}[${i}]`, text))

/** Texts that the character says verbatim. */
export const spokenTexts = (
  { voice_samples, example_dialogues, fallback_lines }: Character,
  greeting: ReadonlyArray<string>
): ReadonlyArray<AuthoredText> => [
  ...greeting.map((text) => at("greeting", text)),
  ...voice_samples.map(({ text }, i) => at(`voice_samples[${i}].text`, text)),
  ...example_dialogues.flatMap((dialogue, i) =>
    exampleTurns(dialogue).flatMap(({ role, text }, j) =>
      role === "character"
        ? [
            at(
              "turns" in dialogue ? `example_dialogues[${i}].turns[${j}].text` : `example_dialogues[${i}].character`,
              text
            )
          ]
        : []
    )
  ),
  ...each("fallback_lines", fallback_lines)
]

/** Texts about the character and its world. */
export const toldTexts = ({
  visible_bio,
  persona,
  interests,
  world_context
}: Character): ReadonlyArray<AuthoredText> => [
  at("visible_bio", visible_bio),
  at("persona.summary", persona.summary),
  ...(["traits", "values", "flaws"] as const).flatMap((field) => each(`persona.${field}`, persona[field])),
  ...persona.goals.map(({ text }, i) => at(`persona.goals[${i}].text`, text)),
  ...persona.secrets.map(({ text }, i) => at(`persona.secrets[${i}].text`, text)),
  ...interests.map((interest, i) =>
    typeof interest === "string" ? at(`interests[${i}]`, interest) : at(`interests[${i}].detail`, interest.detail ?? "")
  ),
  at("world_context.summary", world_context.summary),
  at("world_context.scene", world_context.scene),
  ...world_context.entries.map(({ content }, i) => at(`world_context.entries[${i}].content`, content))
]
