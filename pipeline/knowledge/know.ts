import type { Character } from "../domain/Character.ts"

/** What the character may say of itself, and what it must keep. */
export interface Knowledge {
  readonly mayReveal: ReadonlyArray<string>
  readonly mustNotReveal: ReadonlyArray<string>
}

/** Sorts the persona's secrets. Without a measure of trust, `trusted` ones stay kept. */
export const know = (character: Character): Knowledge => ({
  mayReveal: character.persona.secrets.filter((secret) => secret.reveal === "free").map((secret) => secret.text),
  mustNotReveal: character.persona.secrets.filter((secret) => secret.reveal !== "free").map((secret) => secret.text)
})
